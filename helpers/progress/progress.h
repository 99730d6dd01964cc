/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line for srun's user while processes come up: on a terminal it is
 * updated in place and then cleared; elsewhere it is a line a second.
 */
#ifndef DT_HELPERS_PROGRESS_PROGRESS_H
#define DT_HELPERS_PROGRESS_PROGRESS_H

#include "core/plan/plan.h"
#include "sys/loop.h"

struct connections;

struct progress {
	struct loop *loop;
	struct loop_timer timer;
	const struct connections *members; /* that are here */
	unsigned total, up;		   /* processes */
	const char *nodes;		   /* of the step, or NULL */
	bool on, terminal, shown;
	char last[1024]; /* what was shown */
	void (*say)(void *arg, const char *text);
	void *arg;
};

/* Whether it is shown is the key progress; for `auto`, whether srun's standard
 * error is a terminal and its lines aren't labelled. */
void progress_open(struct progress *p, struct loop *loop,
		   const struct plan *plan, const struct connections *members,
		   void (*say)(void *arg, const char *text), void *arg);

/* So many more processes run. */
void progress_add(struct progress *p, unsigned n);

void progress_close(struct progress *p);

#endif
