/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of one process: what its framework, its dialect, the network
 * interface and the profile give, in one set.
 */
#ifndef DT_CORE_ENV_PROCESS_ENV_H
#define DT_CORE_ENV_PROCESS_ENV_H

#include "core/base/argset.h"
#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/plan/plan.h"

/* Where torch may leave an exception (helpers/files/error_file.c). */
#define ERROR_FILE_VARIABLE "TORCHELASTIC_ERROR_FILE"

/* The whole environment of one process, as a set that is not yet compared with
 * the user's. Fails where a framework can't give what it has to, and where the
 * profile sets what is true of the step, such as RANK. */
int process_env(const struct plan *plan, const struct process *process,
		struct envset *set, struct err *err);

/* The arguments that this process gets after the program's own, what
 * its framework adds and then its dialect. Free with argset_clear() in both
 * cases. */
int process_args(const struct plan *plan, const struct process *process,
		 struct argset *args, struct err *err);

/*
 * The addresses of the whole step as variables, for programs that connect their
 * processes themselves (NEEDS_PEERS).
 */

/* Add DIST_TRAIN_PEERS, DIST_TRAIN_HOST_ADDRS and, for a process that has a
 * rank, DIST_TRAIN_PORT to the set, if the plan needs them. Fails when the
 * places or addresses aren't known, out of memory, and when a list is longer
 * than a variable can be. */
int peers_env(const struct plan *plan, const struct process *process,
	      struct envset *set, struct err *err);

/* The administrator's profile in the environment of a process. */

/* Put the profile of the plan's job over what the framework has chosen, but
 * not over what a key of the user's has. Fails when it sets what is true of the
 * step, such as RANK. */
int profile_add(const struct plan *plan, struct envset *set, struct err *err);

/*
 * Slurm's own variables as a process is to see them, which JAX, Lightning and
 * others read: where the launcher, not Slurm, starts it, and in recovery, where
 * the world isn't the whole step. Called by process_env().
 */

/* Add them; nothing for a process that Slurm's variables are true of. */
int slurm_view(const struct plan *plan, const struct process *process,
	       struct envset *set, struct err *err);

#endif
