/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of one task: started, waited for, ended together.
 */
#ifndef DT_HELPERS_LAUNCH_PROCS_H
#define DT_HELPERS_LAUNCH_PROCS_H

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc {
	struct process process; /* its rank, role and devices */
	pid_t pid;
	uint64_t started_ms, ended_ms; /* CLOCK_MONOTONIC */
	int status;		       /* of waitpid(), once `ended` */
	bool ended;
	bool signalled; /* by us, to end it */
};

struct procs {
	struct loop *loop;
	struct proc *proc;
	unsigned n, running;
	unsigned services; /* of those that run (role_is_service()) */
	bool complete;	   /* all have been started */
	bool idle;	   /* only services run */
	long grace_s;	   /* from the first failure to the end of the others */
	const struct proc *first_failure; /* NULL: none so far */
	/* Called once each: at the first failure, which may come from a signal
	 * sent to the whole step, and when the last one has ended and what they
	 * left behind too. Both wait for half a second when a worker has ended
	 * by a signal that the whole step may be about to get. */
	void (*failed)(void *arg, bool sent_to_all);
	/* Called at each end of a process; may be NULL. */
	void (*ended)(void *arg, const struct proc *proc);
	/* A worker has ended with 0 while others of the procs may run. */
	void (*succeeded)(void *arg, const struct proc *proc);
	void (*all_ended)(void *arg);
	/* A signal that ends processes was sent to the whole step; the workers
	 * have it too. */
	void (*told_to_end)(void *arg);
	/* Once: only services run. */
	void (*only_services)(void *arg);
	void *arg;
	/* the procs's own */
	struct loop_watch children, told;
	struct loop_timer deadline;
	struct loop_timer doubt; /* the first failure may be of a signal to the
				    whole step, which hasn't come here yet */
	int next_signal;
};

/* Call before anything is started: signals that Slurm sends to every process
 * of the step are left to the workers, and orphans of theirs come to us. */
void procs_leave_signals(void);

/* Make room for n workers of a task on the loop. Returns 0 or -1. */
int procs_open(struct procs *procs, struct loop *loop, unsigned n,
	       struct err *err);
void procs_close(struct procs *procs);

/* All have ended, and the same number will be started again. */
void procs_reset(struct procs *procs);

/* Worker `index` runs as `pid`. */
void procs_started(struct procs *procs, unsigned index,
		   const struct process *process, pid_t pid);

/* End those that run: SIGTERM after `after_s` seconds, SIGKILL 5 s later. When
 * an earlier SIGTERM is scheduled already, it keeps its time. */
void procs_end(struct procs *procs, long after_s);

/* All have been started: from now on `only_services` is told. */
void procs_complete(struct procs *procs);

/* How many were ended by us. */
unsigned procs_nsignalled(const struct procs *procs);

/* A worker's status as an exit code. */
int proc_exit_code(const struct proc *proc);

#endif
