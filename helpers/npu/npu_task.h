/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which NPUs a task's processes have, in the driver's numbers: Slurm's indices
 * met with what this node and this process's cgroup show in /dev.
 */
#ifndef DT_HELPERS_NPU_NPU_TASK_H
#define DT_HELPERS_NPU_NPU_TASK_H

#include "core/ascend/npu_ids.h"
#include "core/base/err.h"
#include "core/base/idlist.h"
#include "core/plan/plan.h"

struct npu_task {
	struct idlist own;  /* physical, one for each of the plan's processes */
	struct idlist step; /* the numbers by which a process of the step can
			       see all of the step's on this node, ascending */
	struct idlist at;   /* of each process, its place in `step` */
};

/* Fails when a process has no device or several, when two have the same, and
 * when the driver doesn't show what Slurm gave. */
int npu_task_find(const struct plan *plan, struct npu_task *ret,
		  struct err *err);

/* The same, from what devinfo_nodes() has seen. */
int npu_task_find_among(const struct plan *plan, const struct npu_nodes *nodes,
			struct npu_task *ret, struct err *err);

/* Put the driver's numbers into the index-th process. Fails when the list is
 * too long for the library, which reads 128 characters. */
int npu_task_apply(const struct npu_task *task, const struct plan *plan,
		   unsigned index, struct process *process, struct err *err);

#endif
