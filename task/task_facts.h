/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of a step that srun couldn't know or pass on, found in each task's
 * own process: rank 0's address, interfaces, RDMA ports.
 */
#ifndef DT_TASK_TASK_FACTS_H
#define DT_TASK_TASK_FACTS_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "task/task.h"

/* What can't be found stays unknown, unless the user has named it. May wait for
 * a resolver: then this process ends itself after 30 s. */
int task_facts_complete(const struct task *task, struct job *job,
			struct err *err);

#endif
