/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_SRUN_REQUEUE_CHECK_H
#define DT_SPANK_SRUN_REQUEUE_CHECK_H

#include "core/base/err.h"
#include "core/option/option.h"

/* In slurm_spank_init_post_opt of sbatch and salloc: refuses a job that asks
 * for requeue in the option and that Slurm can't requeue, as far as can be
 * seen. Returns 0 or -1. */
int requeue_check(const struct request *request, struct err *err);

#endif
