/* SPDX-License-Identifier: Apache-2.0 */
/* Which NPU each process of a task has: exactly one, and nobody else. */
#ifndef DT_CORE_PLAN_PLAN_NPUS_H
#define DT_CORE_PLAN_PLAN_NPUS_H

#include "core/base/err.h"
#include "core/facts/task_npus.h"
#include "core/plan/plan.h"

/* Slurm's index on the node of the NPU of each of the plan's processes. Fails
 * when one has none or several, or when the node has fewer than processes. */
int plan_npus(const struct plan *plan, struct idlist *ret, struct err *err);

/* Put the driver's numbers into the index-th process. Fails when the list is
 * too long for the library, which reads 128 characters. */
int plan_npus_apply(const struct plan *plan, const struct npu_task *task,
		    unsigned index, struct process *process, struct err *err);

#endif
