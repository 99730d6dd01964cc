/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other tasks of this node, as a launcher sees them that speaks for all of
 * them: in task mode, and not in recovery.
 */
#ifndef DT_CORE_PLAN_NODE_TASK_H
#define DT_CORE_PLAN_NODE_TASK_H

#include "core/plan/plan.h"

/* Stays where it is: the plan points to the job, which borrows all that the
 * job of `plan` has. */
struct node_task {
	struct job job;
	struct plan plan;
};

/* How many there are, where a launcher speaks for all; else 0. */
static inline unsigned node_tasks_others(const struct plan *plan)
{
	return plan->resolved.node_launcher ? plan->job->local_ntasks - 1 : 0;
}

/* The plan of the node's task `localid`, from that of another one. It is the
 * task's own, but for devices where Slurm tells each task others
 * (job->bound). Fails as plan_make() does, and when SLURM_GTIDS isn't a
 * list of the node's tasks. */
int node_task_make(const struct plan *plan, const struct config *config,
		   unsigned localid, struct node_task *ret, struct err *err);

#endif
