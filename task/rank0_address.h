/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rank 0's address for a task to which srun has told none.
 */
#ifndef DT_TASK_RANK0_ADDRESS_H
#define DT_TASK_RANK0_ADDRESS_H

#include "task/task.h"

/* The address of rank 0's `node` as IP text: from the name; where that is a
 * loopback, because the task is on that node, the address that routes to
 * another of the step's `nodes`; where the name means nothing, `ask` is asked
 * unless it is NULL. Never a loopback. Waits for the resolver and for `ask`.
 * Returns 0 or -1. */
int rank0_address(const char *node, const char *nodes, task_ask_node_fn ask,
		  char *ret, unsigned size);

#endif
