/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun: what its job can't have, told without a question to slurmctld. A job
 * that this srun makes for its one step has the devices that its own command
 * line and environment ask for, and no others.
 */
#ifndef DT_SPANK_SRUN_OWN_JOB_H
#define DT_SPANK_SRUN_OWN_JOB_H

#include <stdbool.h>

/* In slurm_spank_init: whether a job is there already. Later srun itself sets
 * the variables that tell. */
void own_job_remember(void);

/* Whether the step certainly has no device of this gres. False in a job that
 * was there before (its request isn't known here), where a plugin of the site
 * may add to requests, and wherever the name appears at all. */
bool own_job_lacks(const char *gres);

#endif
