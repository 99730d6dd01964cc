/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the rounds of a step that outlives a lost node, as a launcher has
 * them (doc/design/helpers-round.md); round_note.c says what happens,
 * node_fault.h why a node gets no place.
 *
 * Each round has a world of its own: the nodes that MSG_ROUND names, in the
 * order of their places. The view's `job` has the facts of that world, the plan
 * is made of them, and the phases that each world has are walked again. `step`
 * stays what Slurm says of the step.
 *
 * proc_events.c calls this when all processes have ended. Without recovery
 * `job` is the step, there are no places, and MSG_ROUND has none.
 */
#ifndef DT_HELPERS_ROUND_ROUND_H
#define DT_HELPERS_ROUND_ROUND_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/plan/plan.h"

struct launch;

/* Before the first plan, with the facts of Slurm's step in the view's `job`:
 * set `step`, and with recovery make `job` the world of round 0. Fails where
 * the step's layout allows no recovery. */
int round_first(struct launch *l, struct err *err);

/* All processes have ended: a round that has waited for that begins. */
void round_check(struct launch *l);

/* slurmstepd is gone, and nobody would end this node's processes: the launcher
 * ends them, and leaves. Its node is one that is lost. */
void round_orphaned(struct launch *l);

/* What a spare tells of its node: facts and plan as they would be if it were in
 * the world. round_as_placed_clear() afterwards. */
struct as_placed {
	struct job job;
	struct plan plan; /* points into the struct */
};

int round_as_placed(const struct launch *l, struct as_placed *ret,
		    struct err *err);
void round_as_placed_clear(struct as_placed *placed);

void round_clear(struct launch *l);

#endif
