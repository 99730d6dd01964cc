/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the controller tells srun, and hears from it (core/facts/handover.h),
 * over a line of its own (srun_watch.h); no-ops where there is none.
 */
#ifndef DT_HELPERS_LEAD_LEAD_SRUN_H
#define DT_HELPERS_LEAD_LEAD_SRUN_H

struct lead;

/* Slurm has sent SIGTERM to some launcher of the step; and how the step ends,
 * OUTCOME_SIGNALLED and so on (core/facts/handover.h), in addition to what was
 * said before and to what the step's exit code says in the end. srun is told at
 * once, and again with its last word. */
void lead_told_by_slurm(struct lead *lead);
void lead_outcome(struct lead *lead, unsigned bits);

/* --- for lead.c --- */

void lead_watch_srun(struct lead *lead);
void lead_srun_close(struct lead *lead);

/* The step is over: how it has ended, and the last word. `code` is its exit
 * code. */
void lead_tell_srun(struct lead *lead, const char *code);

#endif
