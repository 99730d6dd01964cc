/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the process that has the arbiter tells srun, and hears from it
 * (core/facts/handover.h), over a line of its own (srun_watch.h).
 */
#ifndef DT_HELPERS_SRUN_SESSION_SRUN_H
#define DT_HELPERS_SRUN_SESSION_SRUN_H

#include <stdbool.h>

struct session;

/* Watch srun, in a controller beside it. Elsewhere Slurm ends the step when
 * srun ends, and what is told to srun is lost. */
void session_watch_srun(struct session *session);

/* What session_told_by_slurm() and session_outcome() do; srun hears of it now
 * if the arbiter is here. */
void session_srun_told(struct session *session, bool leads);
void session_srun_outcome(struct session *session, unsigned bits, bool leads);

/* The step is over: how it has ended, and the last word. `code` is its exit
 * code. */
void session_tell_srun(struct session *session, const char *code);

#endif
