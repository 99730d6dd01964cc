/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option of a job: sbatch and salloc leave it in a variable, which each
 * srun of the script or of salloc's shell reads. Slurm sets and reads that
 * variable (src/common/spank.c, in older releases plugstack.c) wherever it
 * travels; it is meant for these sruns alone.
 */
#ifndef DT_SPANK_SLURM_JOB_OPTION_H
#define DT_SPANK_SLURM_JOB_OPTION_H

#include "core/option/config.h"

#include <slurm/spank.h>

/* In a client: the text in its environment, not a copy of it, or NULL. */
const char *job_option_text(const struct config *config);

/* In sbatch and salloc, before they read their options: what they find inside
 * a job is that job's, and not the new one's. */
void job_option_forget(const struct config *config);

/* In slurmstepd, before the tasks of an srun's step are: what they submit or
 * start has the option only by its own words. */
void job_option_hide(spank_t sp, const struct config *config);

#endif
