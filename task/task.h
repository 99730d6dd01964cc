/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done in a task's own process between Slurm's start of it and its
 * program: find what only this node knows, make the plan, check it against the
 * user's environment, and give the task its environment or the launcher what it
 * needs.
 *
 * task.h		what a task's process knows at its start
 * task_facts.c	what only this node can tell; the cores that no other process
 *		uses
 * task_plan.c	the environment of its first process, checked and set; its
 *		command, checked; what the launcher makes its plan from
 *
 * Two call it: the plugin in slurm_spank_task_init() (spank/node/apply.c), and
 * `dist-train exec` on a cluster without the plugin (helpers/cli/exec). They
 * differ in how they reach the task's environment, so this is a struct of
 * functions. All runs as the job's user, with libc alone, in one process that
 * nothing else waits for.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/base/interface.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "sys/interfaces.h"

#include <stdbool.h>
#include <sys/socket.h>

/* The environment that the task's program will have. */
struct task_env {
	env_lookup_fn get;
	/* `value` NULL unsets. Fails when the value is too long. */
	int (*set)(void *arg, const char *name, const char *value,
		   struct err *err);
	void *arg;
};

/* Ask Slurm for a node's address; may wait. Returns 0 or -1. */
typedef int (*task_ask_node_fn)(const char *node, struct sockaddr_storage *ret);

/* All is borrowed. */
struct task {
	struct task_env env;
	const char *option_text; /* FRAMEWORK[,KEY=VALUE]... */
	const char *config_text; /* administrator's arguments, by line */
	const struct config *config;
	const struct request *request;
	const struct resolved *resolved; /* of the request alone */
	struct route route;		 /* to rank 0, if it is known already */
	const struct interfaces *interfaces; /* of this node */
	task_ask_node_fn ask_node; /* for a name that resolves nowhere; NULL:
				      nobody is asked */
	bool learns; /* its launcher: the world's size and ranks are a guess */
};

/* In rank 0's task, just before its program: where the plan wants it
 * (core/plan/plan.c), leave a process beside it that listens on the
 * coordinator's port until the program does. It is no child of the program's,
 * has none of this task's files, and ends with the program. What fails is left:
 * the others then wait as they would without it. */
void early_port_start(const struct plan *plan, const struct process *process,
		      const struct envset *set, const char *program);

/*
 * Rank 0's address for a task to which srun has told none.
 */

/* The address of rank 0's `node` as IP text: from the name; where that is a
 * loopback, because the task is on that node, the address that routes to
 * another of the step's `nodes`; where the name means nothing, `ask` is asked
 * unless it is NULL. Never a loopback. Waits for the resolver and for `ask`.
 * Returns 0 or -1. */
int rank0_address(const char *node, const char *nodes, task_ask_node_fn ask,
		  char *ret, unsigned size);

/*
 * How many CPU cores Slurm has bound the task to.
 */

/* Whether no core of this machine has two threads; false where the kernel
 * doesn't say. Reads a byte of sysfs. */
bool cores_are_single(void);

/* Cores of the calling process: its CPUs divided by the number of threads per
 * core that are among them. 0 when the kernel doesn't say. `single`: what
 * cores_are_single() has said; false costs a look into sysfs. */
unsigned cores_of_self(bool single);

/*
 * The facts of a step that srun couldn't know or pass on, found in each task's
 * own process: rank 0's address, interfaces, RDMA ports.
 */

/* What can't be found stays unknown, unless the user has named it. May wait for
 * a resolver: then this process ends itself after 30 s. */
int task_facts_complete(const struct task *task, struct job *job,
			struct err *err);

#define HANDOVER_ID_SIZE 64

/* The value of HANDOVER_ID for this step: VERSION:JOB.STEP. */
void task_handover_id(const struct job *job, char ret[HANDOVER_ID_SIZE]);

/* Put into the task's environment what the launcher makes its plan from: the
 * option's text, the arguments, and what this task found out by itself
 * (core/facts/handover.h). The secret and inherited descriptors are the
 * caller's. Fails when a value is too long. */
int task_hand_over(const struct task *task, const struct job *job,
		   const char *id, struct err *err);

/*
 * The environment of a task's first process against the one that the user has
 * set: whose value stays, what contradicts, which port is taken.
 */

/* Decide between `set`, which process_env() has made for the plan's first
 * process, and the task's environment. Rank 0 reports contradictions. Fails
 * where rank 0 isn't on the node on which the others expect it, and where a
 * port that this task needs is in use. */
int task_plan_check(const struct task *task, const struct plan *plan,
		    const struct process *process, struct envset *set,
		    struct err *err);

/* Check the command that this task executes, where srun hasn't: what would
 * hang, or train in more than one world, is refused; task 0 says what is
 * probably a mistake. Returns 0 or -1. */
int task_command_check(const struct task *task, const struct plan *plan,
		       char **argv, struct err *err);

/* With the key explain: print what the process gets; with explain=only this
 * process ends here, with 0. */
int task_plan_explain(const struct plan *plan, const struct process *process,
		      const struct envset *set, struct err *err);
