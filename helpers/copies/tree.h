/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that is below a folder, or one file, looked at or copied by many threads
 * at once: a shared file system answers slowly, but to many at a time. Folders,
 * files and links count; pipes, sockets and devices are left out.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/copies/growing.h"

#define TREE_SUM_SIZE 33

struct tree_sum {
	/* Of names, sizes, modes and times; and of the same without fractions
	 * of a second, which an archive may lose. What Python has compiled
	 * (__pycache__) doesn't count: it may come at any time. */
	char id[TREE_SUM_SIZE], whole[TREE_SUM_SIZE];
	unsigned long long bytes; /* of files */
	unsigned long files;	  /* with links */
};

/* Look at `name` in the folder `base`; with `to` >= 0 copy it into that folder,
 * under the same name: modes without set-user-id, times, no links by number.
 * Blocks as long as the file system takes; ends at once when a thread fails.
 * `growing` gets the copy as it grows, or, where nothing is copied, what there
 * is; it may be NULL. Returns 0, or -1: it can't be read or written, or changes
 * meanwhile. */
int tree_walk(int base, const char *name, int to, const struct growing *growing,
	      struct tree_sum *ret, struct err *err);
