/* SPDX-License-Identifier: Apache-2.0 */
/* The processes inside, for procs.c and procs_open.c: what is called when
 * something happens. */
#ifndef DT_HELPERS_PROCS_PROCS_STATE_H
#define DT_HELPERS_PROCS_PROCS_STATE_H

#include "helpers/procs/procs.h"

extern const struct last_words_calls procs_words;

/* Timers. */
void procs_send_next(void *arg);
void procs_end_doubt(void *arg);
void procs_end_rest(void *arg);

/* Signals: a child has ended; the step was told to end. */
void procs_reap(void *arg, uint32_t events);
void procs_told(void *arg, uint32_t events);

/* It goes on when the others are ended. */
bool procs_is_kept(const struct procs *procs, const struct proc *proc);

/* Nobody is to be ended any more. */
void procs_disarm_end(struct procs *procs);

#endif
