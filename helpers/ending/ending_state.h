/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#ifndef DT_HELPERS_ENDING_ENDING_STATE_H
#define DT_HELPERS_ENDING_ENDING_STATE_H

#include "core/option/end_signal.h"
#include "helpers/ending/ending.h"
#include "helpers/ending/ending_child.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

/* All launchers have heard of the moment by then, and found their programs. */
#define LEAD_MS 300

#define DEAF_SHOWN 8

struct ending {
	struct launch *launch;
	struct end_signal signal;

	/* where the arbiter is */
	struct loop_timer due;
	int64_t end; /* seconds since the epoch; 0: unknown, or no limit */
	bool begun;  /* all were asked to tell their ranks */
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
};

#endif
