/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SYS_PROC_ID_H
#define DT_SYS_PROC_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Which process has a number: numbers are given again, but not within the tick
 * of the kernel's clock that `start` is told in. */
struct proc_id {
	pid_t pid, parent, session;
	uint64_t start; /* ticks since the boot */
};

/* Reads /proc/PID/stat, which takes no lock that a process in state D may
 * hold. Returns 0, or -1 when nobody has the number. */
int proc_id_read(pid_t pid, struct proc_id *ret);

/* Whether the process is still there, be it ended and not reaped. */
bool proc_id_is_there(const struct proc_id *id);

#endif
