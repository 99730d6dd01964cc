/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that Slurm sends to every process of a step. The launcher and the
 * keepers leave them to the workers, and block them: one that has come stays
 * pending.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* All signals as in a fresh process, none of them blocked: for one of our own
 * between fork() and its work. */
void signals_forget(void);

/* Block them, and SIGCHLD; *ret_before is what was blocked before. */
void left_signals_block(sigset_t *ret_before);

/* Call before anything is started; orphans of the workers come to us, too. */
void procs_leave_signals(void);

/* Whether the signal is one of them. */
bool signal_is_left(int sig);

/* Whether it was sent to us, and so to the whole step. */
bool signal_is_pending(int sig);

/* The one that was and that ends processes, or 0. */
int signals_told_to_end(void);
