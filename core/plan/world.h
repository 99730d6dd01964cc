/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replica groups: the step's nodes in equal groups of consecutive nodes of
 * SLURM_STEP_NODELIST, each with a world of its own (torchft's key replicas).
 * Ranks keep the order of the step's. A struct process has its world; a plan as
 * its group sees it is that of a step which consists of this group alone.
 */
#ifndef DT_CORE_PLAN_WORLD_H
#define DT_CORE_PLAN_WORLD_H

#include "core/plan/plan.h"

/* What a request asks for. */
struct world_wish {
	unsigned groups; /* 0: each node is one */
	unsigned least;	 /* with fewer the step fails */
};

/* Refuse more groups as the least than replicas=N has. */
int world_check(const struct request *request, struct err *err);

/* How many groups the plan has, and the port of their stores; also refuses
 * numbers that don't fit the step. No-op for frameworks with one world. */
int world_plan(struct plan *plan, const struct config *config, struct err *err);

/* The world of the step's process `rank`. Fails where the facts don't tell the
 * place of each process. */
int world_of(const struct plan *plan, unsigned rank, struct world *ret,
	     struct err *err);

/* The group of each task of the step: job->ntasks numbers, for the caller to
 * free; or NULL. */
unsigned *world_groups(const struct plan *plan, struct err *err);

/* What a process that isn't a service sees of its group: both as in a step of
 * this group alone. They borrow from plan and process. */
void world_view(const struct plan *plan, const struct process *process,
		struct plan *ret_plan, struct process *ret_process);

#endif
