/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef DT_HELPERS_ROUND_GUARD_H
#define DT_HELPERS_ROUND_GUARD_H

#include "sys/loop.h"

struct guard {
	struct loop *loop;
	struct loop_timer beat;
	unsigned long interval_ms;
	int fd; /* 0: none */
};

/* Begin, or begin again; the processes run. Without one, for want of memory,
 * the round goes on all the same. `loop` is borrowed until guard_end(). */
void guard_begin(struct guard *guard, struct loop *loop, long lease_s);

/* It is left to itself, and ends. No-op where there is none. */
void guard_end(struct guard *guard);

#endif
