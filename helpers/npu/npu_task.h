/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which NPUs a task's processes have, in the driver's numbers: Slurm's indices
 * met with what this node and this process's cgroup show in /dev.
 */
#ifndef DT_HELPERS_NPU_NPU_TASK_H
#define DT_HELPERS_NPU_NPU_TASK_H

#include "core/ascend/npu_ids.h"
#include "core/base/err.h"
#include "core/plan/plan_npus.h"

/* Fails when a process has no device or several, when two have the same, and
 * when the driver doesn't show what Slurm gave. */
int npu_task_find(const struct plan *plan, struct npu_task *ret,
		  struct err *err);

/* The same, from what devinfo_nodes() has seen. */
int npu_task_find_among(const struct plan *plan, const struct npu_nodes *nodes,
			struct npu_task *ret, struct err *err);

/* Of a framework that knows nothing of NPUs: list the step's by the numbers
 * that count here, which in a container may be other ones than Slurm's. Where
 * the driver doesn't show them the list stays. */
void npu_task_see_step(const struct plan *plan,
		       struct process_devices *devices);

#endif
