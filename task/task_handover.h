/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_TASK_TASK_HANDOVER_H
#define DT_TASK_TASK_HANDOVER_H

#include "core/facts/job.h"
#include "task/task.h"

#define HANDOVER_ID_SIZE 64

/* The value of HANDOVER_ID for this step: VERSION:JOB.STEP. */
void task_handover_id(const struct job *job, char ret[HANDOVER_ID_SIZE]);

/* Put into the task's environment what the launcher makes its plan from: the
 * option's text, the arguments, and what this task found out by itself
 * (core/facts/handover.h). The secret and inherited descriptors are the
 * caller's. Fails when a value is too long. */
int task_hand_over(const struct task *task, const struct job *job,
		   const char *id, struct err *err);

#endif
