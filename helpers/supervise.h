/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait for the processes of this node.
 */
#ifndef DT_HELPERS_SUPERVISE_H
#define DT_HELPERS_SUPERVISE_H

#include <sys/types.h>

/* Call before the first child is started: signals that Slurm sends to every
 * process of the step are left to the children, and their ends are awaited. */
void supervise_begin(void);

/* Wait until all `n` children have ended; a pid of 0 has ended already. When
 * one ends in failure the others have `grace_s` seconds, then SIGTERM, then
 * SIGKILL. Returns the exit code of the first failure (128 + signal for a
 * signal), or 0. */
int supervise_wait(pid_t *pids, unsigned n, long grace_s);

#endif
