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

struct worker {
	struct process process; /* who it is */
	pid_t pid;
	uint64_t started_ms, ended_ms; /* CLOCK_MONOTONIC */
	int status;		       /* of waitpid(), once `ended` */
	bool ended;
	bool signalled; /* by us, to end it */
};

struct crew {
	struct loop *loop;
	struct worker *worker;
	unsigned n, running;
	unsigned services; /* of those that run (role_is_service()) */
	bool complete;	   /* all have been started */
	bool idle;	   /* only services run */
	long grace_s;	   /* from the first failure to the end of the others */
	const struct worker *first_failure; /* NULL: none so far */
	/* Called once each: at the first failure, which may come from a signal
	 * sent to the whole step, and when the last one has ended and what they
	 * left behind too. */
	void (*failed)(void *arg, bool sent_to_all);
	/* Each end of a worker; NULL: nobody wants to know. */
	void (*ended)(void *arg, const struct worker *worker);
	/* A worker has ended with 0 while others of the crew may run. */
	void (*succeeded)(void *arg, const struct worker *worker);
	void (*all_ended)(void *arg);
	/* A signal that ends processes was sent to the whole step; the workers
	 * have it too. */
	void (*told_to_end)(void *arg);
	/* Once: only services run. */
	void (*only_services)(void *arg);
	void *arg;
	/* the crew's own */
	struct loop_watch children, told;
	struct loop_timer deadline;
	int next_signal;
};

/* Call before anything is started: signals that Slurm sends to every process
 * of the step are left to the workers, and orphans of theirs come to us. */
void crew_leave_signals(void);

/* Make room for n workers of a task on the loop. Returns 0 or -1. */
int crew_open(struct crew *crew, struct loop *loop, unsigned n,
	      struct err *err);
void crew_close(struct crew *crew);

/* All have ended, and the same number is to be started anew. */
void crew_reset(struct crew *crew);

/* Worker `index` runs as `pid`. */
void crew_started(struct crew *crew, unsigned index,
		  const struct process *process, pid_t pid);

/* End those that run: SIGTERM after `after_s` seconds, SIGKILL 5 s later. An
 * earlier end that is on its way already stays. */
void crew_end(struct crew *crew, long after_s);

/* All have been started: from now on `only_services` is told. */
void crew_complete(struct crew *crew);

/* How many were ended by us. */
unsigned crew_nsignalled(const struct crew *crew);

/* A worker's status as an exit code. */
int worker_exit_code(const struct worker *worker);

#endif
