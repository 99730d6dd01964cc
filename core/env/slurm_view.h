/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's own variables as a process is to see them, which JAX, Lightning and
 * others read: where the launcher, not Slurm, starts it, and in recovery, where
 * the world isn't the whole step. Called by process_env().
 */
#ifndef DT_CORE_ENV_SLURM_VIEW_H
#define DT_CORE_ENV_SLURM_VIEW_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/plan/plan.h"

/* Add them; nothing for a process that Slurm's variables are true of. */
int slurm_view(const struct plan *plan, const struct process *process,
	       struct envset *set, struct err *err);

#endif
