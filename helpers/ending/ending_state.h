/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#ifndef DT_HELPERS_ENDING_ENDING_STATE_H
#define DT_HELPERS_ENDING_ENDING_STATE_H

#include "core/option/end_signal.h"
#include "helpers/ending/ending.h"
#include "helpers/ending/ending_child.h"
#include "helpers/launch/launch_view.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

/* All launchers have heard of the moment by then, and found their programs. */
#define LEAD_MS 300

#define DEAF_SHOWN 8

struct ending_pids {
	pid_t *pid;
	unsigned n;
};

struct ending {
	struct launch_view *v;
	struct end_signal signal;

	/* where the arbiter is */
	struct loop_timer due;
	int64_t end; /* seconds since the epoch; 0: unknown, or no limit */
	bool begun;  /* all were asked to tell their ranks */
	struct loop_timer unasked;
	unsigned ntold, ndeaf;
	char deaf[128]; /* the first of them */
	char why[128];	/* for the user */

	/* here */
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

/* Here: tell this launcher's ranks, at that moment, within `ms`. Returns 0, or
 * -1: no child. */
int ending_tell(struct ending *ending, int64_t at_ms, long ms, struct err *err);

/* Here: what is under way, and what is kept. */
void ending_here_close(struct ending *ending);

#endif
