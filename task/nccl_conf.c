/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/base/cleanup.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SIZE_MAX_CONF (64 * 1024)

/* NCCL takes NAME=value only at the beginning of a line. */
static bool sets_interfaces(const char *path)
{
	static const char name[] = "NCCL_SOCKET_IFNAME=";
	cleanup_free char *text = NULL;
	struct err why;

	if (access(path, R_OK) < 0)
		return false; /* as on most nodes: no error need be worded */
	text = text_file_read(path, SIZE_MAX_CONF, &why);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, sizeof(name) - 1))
			return true;
	}
	return false;
}

/* NCCL_CONF_FILE, else that of the user's home; NULL with an error when out of
 * memory, an empty path when he has neither. */
static char *users_file(const struct task_env *env, struct err *err)
{
	const char *file = env->get(env->arg, "NCCL_CONF_FILE");
	const char *home = env->get(env->arg, "HOME");
	const char *name = "";
	char *path;

	if (!file || !*file) {
		file = home ? home : "";
		name = home ? "/.nccl.conf" : "";
	}
	if (asprintf(&path, "%s%s", file, name) >= 0)
		return path;
	err_memory(err);
	return NULL;
}

int nccl_conf_find(const struct task_env *env, char **ret, struct err *err)
{
	static const char sites[] = "/etc/nccl.conf";
	cleanup_free char *users = users_file(env, err);

	*ret = NULL;
	if (!users)
		return -1;
	if (sets_interfaces(users))
		*ret = strdup(users);
	else if (sets_interfaces(sites))
		*ret = strdup(sites);
	else
		return 0;
	return *ret ? 0 : err_memory(err);
}
