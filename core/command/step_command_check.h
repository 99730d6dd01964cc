/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a step's command fits its framework: torchrun inside of a framework
 * that starts the processes itself, or no torchrun where it is expected.
 * srun calls them when no task is started yet, and dist-train exec and explain
 * do.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/step_command.h"
#include "core/plan/plan.h"

#include <stdbool.h>

/* As getenv(): a variable of whoever typed the command, or NULL. */
typedef char *command_getenv(const char *name);

/* Refuse what is no program, and mpirun in each of several processes, before
 * there is a plan: a plan may be refused for what is wrong then, too. Returns 0
 * or -1. */
int step_command_check_words(const struct request *request,
			     const struct resolved *resolved, unsigned ntasks,
			     const struct step_command *command,
			     struct err *err);

/* Refuse a command that would hang, or train in more than one world.
 * `env` looks up the user's PET_ variables (getenv). Returns 0 or -1. */
int step_command_check(const struct plan *plan,
		       const struct step_command *command, command_getenv *env,
		       struct err *err);

/* What is probably a mistake: true, and one line in buf. */
bool step_command_remark(const struct plan *plan,
			 const struct step_command *command, char *buf,
			 unsigned size);

/* The same of a step on one of its job's nodes that has the job's option, and
 * so one process for each device: it may be a server beside the training, which
 * is to be started once. `job_nnodes`: SLURM_JOB_NUM_NODES, or NULL. */
bool step_command_beside_remark(const struct plan *plan,
				const struct step_command *command,
				const char *job_nnodes, char *buf,
				unsigned size);
