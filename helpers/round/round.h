/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the rounds of a step that outlives a lost node, as a launcher has
 * them (doc/design/helpers-round.md); node_fault.c says why a node gets no
 * place.
 *
 * Each round has a world of its own: the nodes that MSG_ROUND names, in the
 * order of their places. The view's `job` has the facts of that world, the plan
 * is made of them, and the phases that each world has are walked again. `step`
 * stays what Slurm says of the step.
 *
 * proc_events.c calls this when all processes have ended. Without recovery
 * `job` is the step, there are no places, and MSG_ROUND has none.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/plan/plan.h"
#include "helpers/procs/procs.h"

#include <stdbool.h>

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

/*
 * Whether a process has failed by its node's fault, so that another node would
 * do better. With recovery such a node gets no place in the next round
 * (MSG_CONDEMNED). As few as possible are taken for that: a program that fails
 * by itself fails on each spare too, and costs them all.
 *
 *	SIGBUS		memory that can't be read: a hardware fault (the kernel
 *			tells it so), or this node's /dev/shm is full
 *	a device gone	(helpers/check/devices_gone.c) where the check before
 *			the start has found it well
 *
 * None of these: the program's own exit code; SIGSEGV, SIGABRT; SIGKILL, also
 * the kernel's for want of memory, since the step's limit is the same on each
 * node.
 */

/* The first failure of this node's processes; tells the arbiter. */
void node_fault_check(struct launch *l, const struct proc *proc);

/* All of them have ended: where one has failed, ask for the devices. Returns
 * whether that goes on; procs.all_ended is called when it is over. Not before
 * all have ended, for what the launcher starts would be ended with them. */
bool node_fault_asks(struct launch *l);
