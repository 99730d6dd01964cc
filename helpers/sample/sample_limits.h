/* SPDX-License-Identifier: Apache-2.0 */
/* What a sample holds at most, and whom it is of. */
#ifndef DT_HELPERS_SAMPLE_SAMPLE_LIMITS_H
#define DT_HELPERS_SAMPLE_SAMPLE_LIMITS_H

#include <sys/types.h>

#define SAMPLE_AT_ONCE	4  /* ranks that are looked at */
#define SAMPLE_CHILDREN 8  /* processes below a rank's program, at most */
#define SAMPLE_THREADS	64 /* of a process, at most */
#define SAMPLE_FRAMES	64 /* of a thread, at most */

/* A rank's process, as the launcher has started it: it may be a shell, torchrun
 * or a container's, and the program is one below it. */
struct sample_target {
	unsigned rank;
	pid_t pid, parent; /* the launcher, or the rank's keeper */
};

/* The row of one that has ended: its rank and pid, for printf(). */
#define SAMPLE_GONE_ROW "gone\t%u\t%d\n"

#endif
