/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children whose parents have ended and that came to this process
 * (PR_SET_CHILD_SUBREAPER). Children of its own that work for it beside the
 * workers are spared: one of them may hang in the kernel, and no signal ends it
 * then, but it is nothing that a worker has left.
 */
#ifndef DT_SYS_ORPHANS_H
#define DT_SYS_ORPHANS_H

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

#endif
