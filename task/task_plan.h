/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a task's first process against the one that the user has
 * set: whose value stays, what contradicts, which port is taken.
 */
#ifndef DT_TASK_TASK_PLAN_H
#define DT_TASK_TASK_PLAN_H

#include "core/plan/plan.h"
#include "task/task.h"

/* Decide between `set`, which process_env() has made for the plan's first
 * process, and the task's environment. Rank 0 reports contradictions. Fails
 * where rank 0 isn't on the node on which the others expect it, and where a
 * port that this task needs is in use. */
int task_plan_check(const struct task *task, const struct plan *plan,
		    const struct process *process, struct envset *set,
		    struct err *err);

/* With the key explain: print what the process gets; with explain=only this
 * process ends here, with 0. */
int task_plan_explain(const struct plan *plan, const struct process *process,
		      const struct envset *set, struct err *err);

#endif
