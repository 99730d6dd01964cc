/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a plan, one by one. */
#ifndef DT_CORE_PLAN_PLAN_PROCESS_H
#define DT_CORE_PLAN_PLAN_PROCESS_H

#include "core/plan/plan.h"

/* The index-th of the plan's nprocs processes. */
int plan_process(const struct plan *plan, unsigned index, struct process *ret,
		 struct err *err);

/* The devices of the index-th process by Slurm's index on the node, whatever
 * the process sees of them: for a person, and for what is near them. None where
 * the plan has no such process. */
void plan_devices_on_node(const struct plan *plan, unsigned index,
			  struct idlist *ret);

/* The text of SLURM_STEP_TASKS_PER_NODE as the processes are to see it, or
 * NULL when it stays Slurm's. Returns buf or the job's own text. */
const char *plan_procs_by_task(const struct plan *plan, char *buf,
			       unsigned size);

#endif
