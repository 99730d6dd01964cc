/* SPDX-License-Identifier: Apache-2.0 */
/* What the records lack, and Slurm may know: when each life was submitted, and
 * began and ended, and whether the job still runs or waits. */
#ifndef DT_HELPERS_CLI_GOODPUT_GOODPUT_SLURM_H
#define DT_HELPERS_CLI_GOODPUT_GOODPUT_SLURM_H

#include "helpers/cli/report/goodput.h"

/* Ask sacct of all lives, scontrol of the last one, which may be a new one. It
 * blocks, some seconds at most; without an answer the job stays as it is. */
void goodput_ask(struct goodput_job *job);

/* A line that `sacct -o JobIDRaw,Submit,Start,End` prints of the job with
 * times in seconds: the life that began then has its times from it, as far as
 * it hasn't. Pure. */
void goodput_account(struct goodput_job *job, const char *line);

/* The same of what `scontrol -o show job` prints, at the time now_ms. Returns
 * whether the job runs. job->life has room for one more. */
bool goodput_control(struct goodput_job *job, const char *text, int64_t now_ms);

#endif
