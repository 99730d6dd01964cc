/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#pragma once

#include "core/facts/places.h"
#include "helpers/part/launch_view.h"
#include "sys/loop.h"

/*
 * A second process of the launcher, which kills the node's processes when the
 * launcher doesn't run for as long as the fence lasts: the others take this
 * node for lost then (doc/design/helpers-round.md). A launcher
 * that runs fences itself. For helpers/round/round.c: one guard for each round.
 *
 * It dies with the launcher, and with the processes at the end of a round, as
 * all its children do. When all of the node was stopped the guard gives the
 * launcher the same time once more.
 */

struct guard {
	struct loop *loop;
	struct loop_timer beat;
	unsigned long interval_ms;
	int fd; /* 0: none */
};

/* Begin, or begin again; the processes run. Without one, for want of memory,
 * the round goes on all the same. Both are borrowed as long as the loop runs;
 * it ends with the launcher. */
void guard_begin(struct guard *guard, struct loop *loop, long lease_s);

/* The rounds of a step that outlives a lost node. */
struct rounds {
	struct job step;      /* what the view's `step` is */
	struct places places; /* of this round */
	struct places before; /* of the one before; none for the first */
	char *next;	      /* its MSG_ROUND; NULL: nobody waits for one */
	uint64_t ended_ms; /* when the round before was ended; 0: it wasn't */
	bool orphaned;	   /* slurmstepd is gone: leave when all have ended */
	struct guard guard;
};
