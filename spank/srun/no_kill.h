/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Slurm has to be told so that a step with recovery outlives a lost node:
 * --no-kill of the step and of its job (doc/design/0081-no-kill.md). Runs in
 * srun, sbatch and salloc, as the user.
 */
#ifndef DT_SPANK_SRUN_NO_KILL_H
#define DT_SPANK_SRUN_NO_KILL_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/plan/resolve.h"

#include <stdbool.h>

/* In slurm_spank_init: if the option on the command line, in the environment
 * or, for sbatch, in the script asks for recovery, --no-kill becomes the
 * default. */
void no_kill_choose(const struct config *config);

/* In slurm_spank_init_post_opt of sbatch and salloc, also without the option:
 * the job's steps find a mark where the job has --no-kill, or where it should
 * have it and the script can't be seen. Slurm itself tells nobody. */
void no_kill_mark_job(bool recovery);

/* In slurm_spank_init_post_opt of srun, for a step with recovery: srun doesn't
 * end the step by itself because of tasks that have ended. */
void no_kill_keep_step(void);

/* In srun, before the hand-over is unset. Refuses the step if its job ends with
 * the first lost node, as far as can be seen; says it where nothing can. */
int no_kill_check_job(const struct resolved *resolved, struct err *err);

#endif
