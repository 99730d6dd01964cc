/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which task of a step is on which node, for those who have to know all.
 */
#pragma once

#include "core/base/err.h"

/* How srun tells that tasks aren't dealt out in blocks. */
#define TASKMAP_CYCLIC "cyclic"

struct task_place {
	unsigned node;	/* its position in SLURM_STEP_NODELIST */
	unsigned local; /* among the tasks of that node */
};

/* The places of all `ntasks` tasks on `nnodes` nodes. `tasks` is Slurm's list
 * of tasks by node, "2,1(x3)". `taskmap` says which task goes where: NULL for
 * blocks, TASKMAP_CYCLIC for one to each node in turn, else the node of each
 * task, run-length: "0(x2),2,0". Returns an array for the caller to free; NULL
 * when the texts contradict each other. */
struct task_place *taskmap_make(const char *tasks, const char *taskmap,
				unsigned ntasks, unsigned nnodes,
				struct err *err);

/* The `taskmap` that leads to these nodes of the tasks, for the caller to free;
 * NULL for blocks. Returns 0, or -1 when `tasks` is another layout. */
int taskmap_describe(const unsigned *node, unsigned ntasks, const char *tasks,
		     unsigned nnodes, char **ret, struct err *err);
