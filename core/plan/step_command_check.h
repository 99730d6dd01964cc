/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a step's command fits its framework: torchrun inside of a framework
 * that starts the processes itself, or no torchrun where it is expected.
 * srun calls both, when the plan is made and no task is started yet.
 */
#ifndef DT_CORE_PLAN_STEP_COMMAND_CHECK_H
#define DT_CORE_PLAN_STEP_COMMAND_CHECK_H

#include "core/base/err.h"
#include "core/facts/step_command.h"
#include "core/plan/plan.h"

#include <stdbool.h>

/* Refuse a command that would hang, or train in more than one world.
 * `pet_nnodes` is the user's PET_NNODES, or NULL. Returns 0 or -1. */
int step_command_check(const struct plan *plan,
		       const struct step_command *command,
		       const char *pet_nnodes, struct err *err);

/* What is probably a mistake: true, and one line in buf. */
bool step_command_remark(const struct plan *plan,
			 const struct step_command *command, char *buf,
			 unsigned size);

#endif
