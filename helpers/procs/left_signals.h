/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that Slurm sends to every process of a step. The launcher leaves them
 * to the workers, and blocks them: one that has come stays pending.
 */
#ifndef DT_HELPERS_PROCS_LEFT_SIGNALS_H
#define DT_HELPERS_PROCS_LEFT_SIGNALS_H

#include <stdbool.h>

/* Call before anything is started; orphans of the workers come to us, too. */
void procs_leave_signals(void);

/* Whether the signal is one of them. */
bool signal_is_left(int sig);

/* Whether it was sent to us, and so to the whole step. */
bool signal_is_pending(int sig);

/* Whether one was that ends processes. */
bool signals_told_to_end(void);

#endif
