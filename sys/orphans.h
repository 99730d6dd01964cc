/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children whose parents have ended and that came to this process
 * (PR_SET_CHILD_SUBREAPER). Children of its own that work for it beside the
 * workers are spared: one of them may hang in the kernel, and no signal ends it
 * then, but it is nothing that a worker has left.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SPARED_MAX 32 /* later ones aren't spared */

/* A child of our own that isn't meant by what follows. Where it leads a session
 * (setsid()), what it leaves there gets SIGKILL, too, but doesn't count. */
void orphans_spare(pid_t pid);

/* How many of them there are now, with those whose session isn't empty. */
unsigned orphans_nspared(void);

/* SIGKILL to all children of this process but `kept` (0: none), until nobody
 * else is left. */
void orphans_end(pid_t kept);

/* The same once, without waiting; returns how many there were. */
unsigned orphans_kill(pid_t kept);

/* The same for the children of another process. */
unsigned orphans_kill_of(pid_t parent, pid_t kept);

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
