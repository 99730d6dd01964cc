/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room is for the node's other tasks, where one launcher is that of all of
 * them (core/facts/keeping.h).
 *
 * keepers.c	their keepers: who has come, whose program may start, runs or
 *		has ended. They come in any order, some of them after their
 *		programs may start. It knows nothing of plans and decides
 *		nothing.
 * node_tasks.c	their programs among the launcher's processes
 *
 * Whatever comes is from processes of the same user; what isn't understood ends
 * that connection.
 */
#pragma once

#include "core/base/err.h"
#include "sys/loop.h"

#include <sys/types.h>

struct keepers;

struct keepers_options {
	struct loop *loop; /* borrowed */
	int fd;	    /* the launcher's end of the node's pair; taken over */
	unsigned n; /* tasks of the node: 0 is the launcher's own */
	/* The program of that task runs. */
	void (*runs)(void *arg, unsigned task, pid_t pid);
	/* It has ended, with that status of waitpid(). */
	void (*ended)(void *arg, unsigned task, int status);
	/* It can't start its program, with the reason, or it is gone (NULL),
	 * and its program with it. Of these two calls each task gets one. */
	void (*lost)(void *arg, unsigned task, const char *why);
	void *arg; /* for these three */
};

/* NULL on failure; fd is closed then. */
struct keepers *keepers_open(const struct keepers_options *options,
			     struct err *err);

/* The program of that task may start, with what keeping_format() has made. Once
 * for each. Returns 0, or -1 when out of memory. */
int keepers_go(struct keepers *keepers, unsigned task, const char *text);

/* How many haven't started their programs; *ret_first is the first of them. */
unsigned keepers_absent(const struct keepers *keepers, unsigned *ret_first);

/* Their tasks are to end with this exit code, those that haven't started their
 * programs, too. */
void keepers_leave(struct keepers *keepers, int code);

/* Without keepers_leave() they kill their programs. NULL is allowed. */
void keepers_close(struct keepers *keepers);

/*
 * The node's other tasks, where this launcher is that of all of them
 * (core/facts/keeping.h): their programs are among the procs, behind those that
 * the launcher starts itself, and count and end as these do. Elsewhere there is
 * none, and all of this does nothing.
 */

struct launch;
struct plan;
struct proc;

/* Let them start their programs. Returns 0, or -1 when one of them has no place
 * or device. */
int node_tasks_start(struct launch *l, struct err *err);

/* The plan that a process is of: its task's, or the launcher's own. */
const struct plan *node_tasks_plan(const struct launch *l,
				   const struct proc *proc);
