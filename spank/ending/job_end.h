/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a job, as srun sees it (doc/design/0100-the-end-of-a-job.md): it
 * asks when the job ends, tells the nodes, and requeues the job when its step
 * has ended, if that is asked for: srun's last deed. Runs in srun, as the user.
 */
#ifndef DT_SPANK_ENDING_JOB_END_H
#define DT_SPANK_ENDING_JOB_END_H

#include "core/base/err.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"

/* The step exists. With the keys end-signal and requeue slurmctld is asked once
 * about its job; refused is a job that can't be requeued. Once per srun.
 * Returns 0 or -1. */
int job_end_begin(const struct request *request,
		  const struct resolved *resolved, unsigned job_id,
		  struct err *err);

/* For srun_liveness_options. */
void job_end_told(void);

/* In slurm_spank_exit: end the threads, and requeue the job or say why not. Not
 * before: srun kills a step that it aborts more than once, by its number alone,
 * which is that of the job's next life, too. No-op without job_end_begin(). */
void job_end_finish(void);

#endif
