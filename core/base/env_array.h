/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An environment as the kernel has it: an array of NAME=value that ends with
 * NULL. Of several with one name the first counts, as for getenv().
 */
#ifndef DT_CORE_BASE_ENV_ARRAY_H
#define DT_CORE_BASE_ENV_ARRAY_H

#include <stddef.h>
#include <string.h>

/* The value of NAME, within the array's own bytes, or NULL; `env` may be
 * NULL. */
static inline char *env_array_value(char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; env && *env; env++)
		if (**env == *name && !strncmp(*env, name, len) &&
		    (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

/* The loader's: libraries for the user's program, which aren't for ours. */
#define PRELOAD_VARIABLE "LD_PRELOAD"

#endif
