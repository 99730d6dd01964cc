/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a step's dumps are kept: dumps/JOB.STEP.REQUEUE of the user's state
 * folder (sys/kept/state_folder.h): call in a child that may be killed.
 */
#ifndef DT_HELPERS_RECORDERS_KEEP_H
#define DT_HELPERS_RECORDERS_KEEP_H

#include "core/base/err.h"

#include <limits.h>
#include <stddef.h>

#define KEEP_STEPS 20 /* folders that stay, the newest */

struct keep {
	int fd; /* of the step's folder */
	char path[PATH_MAX];
	size_t left; /* bytes that may still be written */
	size_t nbytes;
	unsigned nfiles;
};

/* Make it. Older steps' folders are removed. Returns 0, or -1 when the folder
 * can't be made, or somebody else could change it. Close with keep_close(). */
int keep_open(struct keep *keep, const char *step, size_t limit,
	      struct err *err);
void keep_close(struct keep *keep);

/* Write a file, in place of one of that name. Returns 0, or -1 when it can't be
 * written or would be more than the limit: nothing is changed then. */
int keep_file(struct keep *keep, const char *name, const void *data, size_t n,
	      struct err *err);

#endif
