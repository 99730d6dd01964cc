/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The administrator's default profiles, "NAME[@PLACE]" with blanks between,
 * where a place is a partition or a feature of nodes. A node doesn't know its
 * own features: srun asks for them, and only for places that aren't the step's
 * partition.
 */
#ifndef DT_CORE_OPTION_PROFILE_DEFAULT_H
#define DT_CORE_OPTION_PROFILE_DEFAULT_H

#include <stdbool.h>

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

#endif
