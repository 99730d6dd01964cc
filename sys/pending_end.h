/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SYS_PENDING_END_H
#define DT_SYS_PENDING_END_H

#include <signal.h>
#include <stdbool.h>

/* Whether Slurm has told the step to end: launchers leave SIGTERM to their
 * processes, so it stays pending here. */
static inline bool pending_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1;
}

#endif
