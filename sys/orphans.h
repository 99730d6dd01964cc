/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children whose parents have ended and that came to this process
 * (PR_SET_CHILD_SUBREAPER).
 */
#ifndef DT_SYS_ORPHANS_H
#define DT_SYS_ORPHANS_H

#include <sys/types.h>

/* A child of our own that isn't meant by what follows, until another one is
 * named (0: none). */
void orphans_spare(pid_t pid);

/* SIGKILL to all children of this process but `kept` (0: none), until nobody
 * else is left. */
void orphans_end(pid_t kept);

/* The same once, without waiting; returns how many there were. */
unsigned orphans_kill(pid_t kept);

/* The same for the children of another process. */
unsigned orphans_kill_of(pid_t parent, pid_t kept);

#endif
