/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over a table of phases, one after the other. A phase says that it is
 * done and never names another one; which phases there are is the table's
 * business. To add one, NAME:
 *
 * 1. NAME_phase in NAME.c, with what it needs of struct phase. One that waits
 *    calls phase_done() from the callback that it waits for.
 * 2. A line in phases.def, at its place.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/conn/message.h"

#include <stdbool.h>
#include <stddef.h>

struct launch;
struct plan;

/* What `begin` and `message` of a phase return. */
enum phase_state {
	PHASE_FAILED = -1, /* `err` says why: the step is ended */
	PHASE_DONE,	   /* the next one begins */
	PHASE_WAITS,	   /* for a message, or for its own phase_done() */
};

struct phase {
	const char *name; /* for tests and debuggers */
	/* Whether this step has it; NULL: every step. */
	bool (*wanted)(const struct plan *plan);
	/* Of the struct that it keeps, if any: own_of(l, &NAME_phase), all
	 * zeros before its first `begin`, freed behind `end`. */
	size_t size;
	/* What it does with explain=only, where nothing starts; NULL: nothing.
	 * Returns 0 or -1. */
	int (*show)(struct launch *l, struct err *err);
	enum phase_state (*begin)(struct launch *l, struct err *err);
	/* The message of the arbiter that it takes, n bytes and a NUL, while it
	 * waits; NULL: it expects none. */
	enum message takes;
	enum phase_state (*message)(struct launch *l, const char *data,
				    size_t n, struct err *err);
	/* Is given the same first, also when it doesn't wait for it. */
	void (*keep)(struct launch *l, const char *data, size_t n);
	/* With recovery, the round ends, before the phase is done or after it:
	 * wait for nothing more. Called in any case. NULL: it waits for
	 * nothing, or for what doesn't depend on the round. */
	void (*leave)(struct launch *l);
	/* Let go of what it owns; called at the launcher's end, without a
	 * `size` also when it was never begun. NULL: it owns nothing. */
	void (*end)(struct launch *l);
	/* The next one begins when all launchers of the step are done with this
	 * one: MSG_READY, MSG_GO. */
	bool meets;
	/* A restart in place has it too. */
	bool each_round;
	/* So has, with recovery, each round: its world may be another one. */
	bool each_world;
	/* A spare has it too. */
	bool of_spares;
};

#define PHASE(name) extern const struct phase name##_phase;
#include "helpers/part/phases.def"
#undef PHASE

/* What a launcher does before the node's processes run; ends with NULL. */
extern const struct phase *const launch_phases[];

/* Walk the table from its first phase: those that the step wants. */
void phases_begin(struct launch *l, const struct phase *const *table);

/* A new round begins here: the view's `job` has its number and, with recovery,
 * the facts of its world; nothing of the one before runs any more. The parts
 * make anew what belongs to the plan, and the phases that each round has are
 * walked from the first. */
void launch_begin_round(struct launch *l);

/* With recovery: the round has ended. What a phase says from now on is ignored
 * until launch_begin_round(). */
void phases_leave(struct launch *l);

/* The phase that waited is done. Not to be called within `begin` and `message`,
 * which return PHASE_DONE. */
void phase_done(struct launch *l);

/* A message of the arbiter, for the phase at which the launcher is; one that it
 * doesn't expect is ignored. */
void phases_message(struct launch *l, char type, const char *data, size_t n);

/* MSG_GO: all launchers are done with the phase. Ignored where this launcher
 * doesn't wait for that. */
void phases_all_done(struct launch *l);

/* With explain=only, where nothing is begun. Returns 0 or -1. */
int phases_show(struct launch *l, const struct phase *const *table,
		struct err *err);
