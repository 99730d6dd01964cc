/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a step: heap strings of exact size. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **env_find(char **env, const char *name)
{
	size_t len = strlen(name);

	for (; env && *env; env++)
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			return env;
	return NULL;
}

const char *env_get(char **env, const char *name)
{
	char **at = env_find(env, name);

	return at ? *at + strlen(name) + 1 : NULL;
}

bool env_remove(char **env, const char *name)
{
	char **at = env_find(env, name);

	if (!at)
		return false;
	free(*at);
	do {
		at[0] = at[1];
	} while (*at++);
	return true;
}

/* A new array each time, as after Slurm's realloc. */
void env_put(char ***env, const char *name, const char *value)
{
	char **all, *pair;
	unsigned n = 0;

	if (asprintf(&pair, "%s=%s", name, value) < 0)
		abort();
	env_remove(*env, name);
	while (*env && (*env)[n])
		n++;
	all = calloc(n + 2, sizeof(*all));
	for (unsigned i = 0; i < n; i++)
		all[i] = (*env)[i];
	all[n] = pair;
	free(*env);
	*env = all;
}

void env_free(char **env)
{
	for (char **e = env; e && *e; e++)
		free(*e);
	free(env);
}
