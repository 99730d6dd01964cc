/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-launch, from its begin to its end. It runs on each node of a step,
 * as the user, as the child of slurmstepd and in the place of the user's
 * program. It starts the node's processes and waits until they have ended.
 *
 * main() (dist-train-launch.c) reads the hand-over and makes the plan. run.c
 * opens the event loop and the parts of parts.def, such as the channel to the
 * step's other launchers and the output, and walks the phases of phases.def. A
 * phase asks, waits or starts something; phase.c calls it and goes on to the
 * next one when it is done. A part takes messages and is told what happens
 * until the step ends (part.c).
 * What its processes do (proc_events.c) is told to the arbiter of the step
 * (helpers/channel/session.h), which decides when all go on, when all end, and
 * with which exit code.
 *
 * The launcher never decides for the step: also a fault of its own is a message
 * to the step's controller (helpers/step). Everything runs in one thread, in
 * callbacks of one loop that don't block; what may block (the NPUs' driver,
 * PMIx) runs in a child.
 *
 * This file has what the phases of this room share. What a phase has for itself
 * is in its own file, and other files ask for it by the functions of its
 * header. Other rooms see the launcher's view (launch_view.h), and no more.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/plan.h"
#include "helpers/files/files.h"
#include "helpers/node/bind.h"
#include "helpers/output/output.h"
#include "helpers/output/timeline.h"
#include "helpers/part/launch_view.h"
#include "helpers/procs/input.h"
#include "helpers/procs/procs.h"
#include "sys/child.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* What the launcher has made for the plan; each new plan gets it again
 * (launch_plan_again()). */
struct made_for_plan {
	char rank_table[PATH_MAX + 32]; /* by table.c; "": none */
	char secret[SEAL_WORD_SIZE];	/* by start_service.c; "": none */
	struct host_files host_files;
	struct cert_files cert_files; /* by start_service.c */
};

struct launch {
	struct launch_view view; /* what other rooms see of all this; the first
				    member (launch_view()) */

	/* what was asked for, and what the processes are */
	struct config config;
	struct request request;
	struct job job; /* of the step; with recovery of this round's world */
	struct job_of_nodes by_node; /* with one launcher for each node */
	struct plan plan;
	struct made_for_plan made;
	char program[PATH_MAX]; /* which they run */
	char **argv;
	struct met_secret met; /* where srun hasn't had the plugin */
	bool stale; /* variables of an outer step are in the environment */

	/* what this node gives them */
	struct bind bind;
	struct npu_task npus; /* by facts.c, where devices are NPUs */
	struct run_dir run_dir;
	int hccn_fd;	    /* hccn.conf as the plugin has read it, or -1 */
	int node_memory_fd; /* helpers/ranktable/ranktable_shared.c, or -1 */

	/* what runs, and who is told */
	struct loop loop;
	struct procs procs;
	struct input *input;	    /* the same */
	unsigned nreaders;	    /* of it */
	struct own_lines own_lines; /* without output */
	struct timeline timeline;
	struct loop_watch parent; /* slurmstepd */
	long oom_kills;		  /* before anything was started */

	/* what the phases own; NULL before they begin */
	struct running_service *service;
};

/*
 * What the phases and parts of this room share: the plan, made again, and what
 * follows from it.
 */

/* Fill the view with what is there from the begin. */
void launch_show(struct launch *l);

/* The session has got the step's secret (await_secret.c). */
void launch_knows_secret(struct launch *l);

/* Standard input for the processes of the plan: each gets all of it from the
 * beginning, as far as that is possible. Returns 0 or -1. */
int launch_input(struct launch *l, struct err *err);

/* How many processes there may be: those of the plan, the service and the
 * script; and those of the node's other tasks, which come last. */
unsigned launch_count_procs(const struct launch *l);

/* Let the plan know the files in the launcher's folder, if they are there. */
void launch_tell_files(struct launch *l);

/* Make the plan with what has become known since. Returns 0 or -1. */
int launch_plan_again(struct launch *l, struct err *err);

/* Start all, together with the step's other launchers, and wait for the end;
 * with explain=only show what would be started. The plan is made, and
 * `argv`, `program` and the handed-over descriptors are set. Returns the exit
 * code, or -1. Call launch_end() in both cases. */
int launch_run(struct launch *l, const struct phase *const *phases,
	       const struct part *const *parts, struct err *err);

/* Let go of what launch_run() has opened. */
void launch_end(struct launch *l);

/* For the session, with the launcher (session_options.start): start
 * dist-train-step. It ends with this launcher. */
int start_step(void *launch, int listen_fd, struct subprocess *ret,
	       struct err *err);

/* Its facts, for a controller that srun has started (session_options.facts). */
char *step_facts(void *launch, size_t *ret_n);

/*
 * The coordinator's address where only rank 0's node can know it
 * (addr=nic:...): its launcher says it with MSG_READY, and MSG_GO brings it to
 * the others.
 */

/* The address that came with MSG_GO; "", or known already: nothing changes.
 * Returns 0, or -1 when there is no plan with it. */
int address_learn(struct launch *l, const char *addr, struct err *err);

/*
 * The phase of a script that starts the step's processes. It runs once, in
 * task 0's launcher, and calls a command (the plan's start_command) that is our
 * stand-in (helpers/shim/). The stand-in tells this launcher what is to run;
 * the launcher tells the others by way of the arbiter, and waits, as they do,
 * for what comes back: MSG_EXEC_ALL. It doesn't know who starts it then.
 */

/* These may be called in all steps, with a script or without. */

/* The command's standard output and error, for the caller to close; untouched
 * where there is none. */
void script_take_output(struct launch *l, int *ret_out, int *ret_err);

/* All processes of the step have ended: the command gets its exit code, and
 * the script ends by itself. Returns false where no script runs here. */
bool script_answer(struct launch *l);

/* Nothing runs here any more: ends the step when the script should have started
 * something and hasn't. */
void script_check_ended(struct launch *l);

/*
 * The phase that makes the rank table. A child asks for this node's rows; in
 * task mode that of the node's first launcher does it for all of the node's
 * tasks (helpers/ranktable/exchange.h). How a launcher learns those of the
 * others is the choice of helpers/ranktable/exchange.h. There are four ways,
 * and all end with the rows of the whole step, from which the file is written
 * (l->made.rank_table):
 *
 *	channel		rows -> session_gather() -> everybody's rows
 *	PMIx		rows -> PMIx -> everybody's rows
 *	inventory	the administrator's file has all rows; session_gather()
 *			tells task 0's folder
 *	alone		the same where launchers can't meet: no folder
 *
 * With recovery all nodes tell their rows once, spares too, and each world has
 * a file that is made of them; the inventory is read anew. No file is shared:
 * task 0 may be lost.
 */

/* Whether rows are told through PMIx; false where there is no table. */
bool table_uses_pmix(const struct launch *l);

struct spawn;

/*
 * The one way in which the launcher starts a process: a worker, a service, or
 * the script that starts the workers. In this order:
 *
 *	SPAWN struct spawn s;	what it owns is freed at the end of its scope
 *	spawn_init()		the user's program, with the launcher's streams
 *	process_env(), envset_add() on s.set; spawn_prepend_path()
 *	spawn_show() or spawn_resolve()
 *	spawn_attach(), or set s.child
 *	spawn_start()
 */

struct spawn {
	unsigned index;		    /* its place among the procs */
	struct process process;	    /* its rank, role and devices */
	struct envset set;	    /* owned: what its environment gets */
	const char *const *without; /* prefixes that it doesn't inherit */
	struct child child; /* what is executed; its streams are closed and its
			       env is freed, the rest is borrowed */
};

#define SPAWN __attribute__((cleanup(spawn_clear)))

/* Process `index` of the procs: the program of `l` with its arguments,
 * what it doesn't inherit, and -1 for each stream. */
void spawn_init(const struct launch *l, unsigned index, struct spawn *ret);

/* Let its PATH begin with the folder of the step's files; `source` says in
 * explain why. Returns 0 or -1. */
int spawn_prepend_path(const struct launch *l, struct spawn *s,
		       const char *source, struct err *err);

/* Meet the set with the launcher's own environment. `overwrite`: the user's
 * values give way. */
void spawn_resolve(const struct launch *l, struct spawn *s, bool overwrite);

/* The same as the request wants it, and print what the key explain asks for,
 * on stdout with explain=only. Returns 0 or -1. */
int spawn_show(const struct launch *l, struct spawn *s, struct err *err);

/* Where the launcher labels or keeps what processes write: connect its output
 * with that. Returns 0 or -1. */
int spawn_attach(struct launch *l, struct spawn *s, struct err *err);

/* Start it. s->child.env is then the environment that it was given. Returns 0
 * or -1. */
int spawn_start(struct launch *l, struct spawn *s, struct err *err);

void spawn_clear(struct spawn *s);
