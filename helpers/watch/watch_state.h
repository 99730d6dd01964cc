/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#ifndef DT_HELPERS_WATCH_WATCH_STATE_H
#define DT_HELPERS_WATCH_WATCH_STATE_H

#include "core/option/hang.h"
#include "helpers/launch/launch_view.h"
#include "helpers/watch/hang_clock.h"
#include "helpers/watch/samples.h"
#include "helpers/watch/watch.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdbool.h>

struct dumps;
struct looking;
struct stacks;

/* A rank of this launcher, or what has its number: torchrun, a shell. */
struct watched {
	unsigned index;	   /* of the procs */
	uint64_t moved_ms; /* its last sign of work */
	bool busy;	   /* one of its processes uses CPU */
	unsigned nprocs;
};

/* Where the arbiter is: what is known of all launchers. */
struct watch_centre {
	struct hang_clock clock;
	unsigned *round;	 /* by member */
	struct loop_timer timer; /* the clock's, or until the next sample */
	struct samples *samples; /* while they are taken; else NULL */
	struct looking *looking; /* one of them */
	struct stacks *stacks;	 /* of the newest one */
	struct dumps *dumps;	 /* that are waited for before it acts */
	uint64_t since_ms;	 /* of the hang that is looked at */
	bool said_blind;
};

struct watch {
	struct launch_view *v;
	struct hang hang;
	struct loop_timer timer;
	uint64_t interval_ms;
	struct subprocess child; /* that looks at the ranks; or 0 */
	size_t ntext;
	char text[16384]; /* its rows that have come in part */
	struct watched *rank;
	unsigned n;
	bool told_quiet, told_gone;
	uint64_t told_ms; /* since when, as was told */
	struct watch_centre centre;
};

/* --- watch_centre.c --- */

int watch_centre_open(struct watch *w, struct err *err);
void watch_centre_close(struct watch *w);

/* What is looked at is no hang any more: the processes are about to end. */
void watch_centre_leave(struct watch *w);

/* A member's MSG_QUIET, with the launcher. */
void watch_hear(void *launch, unsigned member, const char *text);

/* Who isn't here any more isn't waited for. */
void watch_centre_check(struct watch *w);

#endif
