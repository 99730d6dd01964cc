/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#ifndef DT_HELPERS_ENDING_ENDING_STATE_H
#define DT_HELPERS_ENDING_ENDING_STATE_H

#include "core/option/key_forms.h"
#include "helpers/ending/ending.h"
#include "helpers/ending/ending_child.h"
#include "helpers/part/launch_view.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

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

#endif
