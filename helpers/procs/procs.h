/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of one task: waited for and ended together. This room has what
 * the launcher needs for them and knows nothing of its phases:
 *
 * procs.h	who runs, who has failed first, the end of all
 * last_words.h	where those are that don't end
 * proc_seen.h	what /proc tells of them
 * input.h	the standard input of several
 * readiness.h	wait until a service answers
 * report.c	the lines that name a first failure
 *
 * helpers/launch calls all of them; it starts the processes (spawn.c).
 */
#pragma once

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "helpers/procs/last_words.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct proc {
	struct process process;	       /* its rank, role and devices */
	pid_t pid;		       /* 0: it isn't known yet */
	pid_t parent;		       /* the launcher, or its keeper */
	uint64_t started_ms, ended_ms; /* CLOCK_MONOTONIC */
	int status;		       /* of waitpid(), once `reaped` */
	bool reaped, ended;	       /* the one at once before the other */
	bool signalled;		       /* by us, to end it */
};

struct procs {
	struct loop *loop;
	struct proc *proc;
	unsigned n, running;
	unsigned services; /* of those that run (role_is_service()) */
	bool complete;	   /* all have been started */
	bool idle;	   /* only services run */
	bool keeps_added;  /* what the plan has added goes on when the others
			      are ended and started again */
	bool to_the_last;  /* `all_ended` waits for what workers have left
			      behind, however long that takes */
	bool ignore_term;  /* workers were started with SIGTERM ignored */
	unsigned leave_ms; /* so long what workers have left behind may take to
			      end by itself */
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
	/* As last_words.h has it. NULL: nobody is asked for last words */
	void (*hangs)(void *arg, const struct proc *proc, const char *what,
		      bool speaks);
	void *arg;
	/* the procs's own */
	struct loop_watch children, told;
	struct loop_timer deadline;
	struct loop_timer doubt; /* the first failure may be of a signal to the
				    whole step, which hasn't come here yet */
	struct loop_timer rest;	 /* something that they have left still runs */
	uint64_t rest_until_ms;	 /* it may, as leave_ms has it */
	int next_signal;
	struct last_words words;
};

/* Make room for n workers of a task on the loop. Returns 0 or -1. */
int procs_open(struct procs *procs, struct loop *loop, unsigned n,
	       struct err *err);
void procs_close(struct procs *procs);

/* All have ended but those that are kept, and n will be started again. With
 * another number none may be kept. Returns 0 or -1. */
int procs_again(struct procs *procs, unsigned n, struct err *err);

/* Worker `index` runs as `pid`. */
void procs_started(struct procs *procs, unsigned index,
		   const struct process *process, pid_t pid);

/* The same of one that is another process's child and whose pid comes later,
 * with procs_runs(); it counts as running from now on. Its end is told by
 * procs_has_ended(). */
void procs_awaited(struct procs *procs, unsigned index,
		   const struct process *process);
void procs_runs(struct procs *procs, unsigned index, pid_t pid);
void procs_has_ended(struct procs *procs, unsigned index, int status);

/* End those that run: SIGTERM after `after_s` seconds, SIGKILL 5 s later, and
 * their last words before that. When an earlier SIGTERM is scheduled already,
 * it keeps its time. */
void procs_end(struct procs *procs, long after_s);

/* End those that run now, by SIGKILL. */
void procs_kill(struct procs *procs);

/* Whether nobody runs, and `all_ended` has nothing to wait for. */
bool procs_are_gone(const struct procs *procs);

/* Whether the first failure isn't told yet, since it may be of a signal to the
 * whole step. */
bool procs_in_doubt(const struct procs *procs);

/* All have been started: from now on `only_services` is told. */
void procs_complete(struct procs *procs);

/* How many were ended by us. */
unsigned procs_nsignalled(const struct procs *procs);

/* A worker's status as an exit code. */
int proc_exit_code(const struct proc *proc);

/*
 * What the user reads when a process fails: the culprit in one line, and what
 * it wrote last.
 */

/* What besides the worker's own status is known of its end. */
struct report_facts {
	bool only_here;		/* other nodes may have had an earlier one */
	bool out_of_memory;	/* the kernel killed for want of memory */
	const char *last_lines; /* what it wrote last to stderr, or "" */
	const char *exception;	/* what it left in torch's error file, or "" */
};

/* Lines that begin with "dist-train: " and end in a newline. "rank 3 (worker)
 * on node2, device 1, pid 4711: exit code 3 after 2.1 s". */
void report_first_failure(FILE *f, const struct plan *plan,
			  const struct proc *proc,
			  const struct report_facts *facts);

/* "rank 3 (worker) on node2 hasn't ended by SIGTERM: WHAT"; `after` says where
 * its stacks are, or is "". */
void report_hang(FILE *f, const struct plan *plan, const struct proc *proc,
		 const char *what, const char *after);
