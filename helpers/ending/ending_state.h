/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#pragma once

#include "core/option/key_forms.h"
#include "helpers/ending/ending.h"
#include "helpers/part/launch_view.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * In a child of the launcher: find the program of each rank, and send it the
 * signal at the moment. What a rank has started stands in between: torchrun,
 * bash -c, conda run. A program that doesn't handle the signal would die of it,
 * and doesn't get it. One that hangs in the kernel holds up no other rank.
 */

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

struct ending_pids {
	pid_t *pid;
	unsigned n;
};

struct ending {
	struct launch_view *v;
	struct end_signal signal;

	/* when nobody has asked */
	int64_t end; /* seconds since the epoch; 0: unknown, or no limit */
	struct loop_timer due, unasked;

	/* the ranks */
	bool told;
	struct sight *sight; /* that waits for the child; NULL: none */
	struct ending_work work;
	struct subprocess child;
	struct loop_timer deadline;
	char *rows;
	size_t n;

	/* those who install a handler later, or start later */
	struct loop_timer again;
	uint64_t pause_ms;	 /* until the next look at them */
	struct ending_pids done; /* ranks of which nobody is deaf */
	struct ending_pids got;	 /* processes that have the signal */
};

/* Tell this launcher's ranks, at that moment, within `ms`. Returns 0, or -1: no
 * child. */
int ending_tell(struct ending *ending, int64_t at_ms, long ms, struct err *err);

/* Let go of what is under way. */
void ending_here_forget(struct ending *ending);

/* The same, and of what is kept. */
void ending_here_close(struct ending *ending);
