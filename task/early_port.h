/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_TASK_EARLY_PORT_H
#define DT_TASK_EARLY_PORT_H

#include "core/base/envset.h"
#include "core/plan/plan.h"

/* In rank 0's task, just before its program: where the plan wants it
 * (core/plan/plan_early.h), leave a process beside it that listens on the
 * coordinator's port until the program does. It is no child of the program's,
 * has none of this task's files, and ends with the program. What fails is left:
 * the others then wait as they would without it. */
void early_port_start(const struct plan *plan, const struct process *process,
		      const struct envset *set, const char *program);

#endif
