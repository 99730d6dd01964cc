/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An administrator's set of variables: lines of NAME=value, NAME+=dir (put
 * before a list of folders) and "# note". Values are taken as they are: no
 * quotes, nothing is expanded.
 */
#ifndef DT_CORE_OPTION_PROFILE_H
#define DT_CORE_OPTION_PROFILE_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define PROFILE_SUFFIX ".conf"
#define PROFILE_MAX    65536 /* bytes of all that one step takes together */

struct profile_line {
	char *name, *value; /* owned */
	bool folder;	    /* NAME+=dir */
};

struct profile {
	struct profile_line *line;
	size_t n;
};

/* Add the lines of `text` to the profile. `file` is its name in errors,
 * "roce.conf:12: ...". Fails at the first line that is none of the three kinds
 * or names a variable of Slurm's or ours, and when out of memory. Free with
 * profile_clear() in both cases. */
int profile_parse(const char *file, const char *text, struct profile *profile,
		  struct err *err);
void profile_clear(struct profile *profile);

/* Leave out comments and empty lines, which a task's environment needn't have.
 * Returns text. */
char *profile_trim(char *text);

/* A copy of all lines. Fails when out of memory, with nothing in *ret. */
int profile_copy(const struct profile *profile, struct profile *ret,
		 struct err *err);

#endif
