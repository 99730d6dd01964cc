/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a child of the launcher: find the program of each rank, and send it the
 * signal at the moment. What a rank has started stands in between: torchrun,
 * bash -c, conda run. A program that doesn't handle the signal would die of it,
 * and doesn't get it. One that hangs in the kernel holds up no other rank.
 */
#ifndef DT_HELPERS_ENDING_ENDING_CHILD_H
#define DT_HELPERS_ENDING_ENDING_CHILD_H

#include <stdint.h>
#include <sys/types.h>

struct ending_rank {
	pid_t pid; /* of the process that the launcher has started */
	unsigned rank;
};

struct ending_work {
	int signal;
	int64_t at_ms; /* the moment, since the epoch */
	long limit_ms; /* the child ends by then, from its begin on */
	unsigned n;
	struct ending_rank *rank;
	unsigned nbefore; /* processes that got it before: not once more */
	const pid_t *before;
};

/* For struct subprocess_spec: `arg` is a struct ending_work. The rows go to
 * fd[1], one for each program: "told RANK LAUNCHED PID", "deaf RANK LAUNCHED",
 * where LAUNCHED is the rank's process and PID the one that got the signal. */
int ending_child(const int fd[2], const void *arg);

#endif
