/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An administrator's set of variables: lines of NAME=value, NAME+=dir (put
 * before a list of folders) and "# note". Values are taken as they are: no
 * quotes, nothing is expanded.
 */
#pragma once

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

/*
 * The administrator's default profiles, "NAME[@PLACE]" with blanks between,
 * where a place is a partition or a feature of nodes. A node doesn't know its
 * own features: srun asks for them, and only for places that aren't the step's
 * partition.
 */

/* Where a node of a step is. */
struct profile_place {
	const char *partition; /* of the job; NULL: unknown */
	const char *node;      /* NULL: unknown, then it has no features */
	const char *features;  /* "FEATURE=HOSTLIST;...", those that are among
				  the places; NULL: none of them is known */
};

/* The profiles of that place, "NAME[+NAME]...", each once, in the order of the
 * defaults, or "" when there is none; for the caller to free. NULL: out of
 * memory. */
char *profile_defaults(const char *defaults, const struct profile_place *where);

/* Call `each` for every place that may be a feature, because it isn't the
 * partition (NULL: unknown); a place that occurs twice is passed twice. Returns
 * 0, -1 when out of memory, or the first value of `each` that isn't 0, which
 * ends the walk. */
int profile_features(const char *defaults, const char *partition,
		     int (*each)(void *arg, const char *feature), void *arg);
