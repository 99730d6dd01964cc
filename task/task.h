/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done in a task's own process between Slurm's start of it and its
 * program: find what only this node knows, make the plan, check it against the
 * user's environment, and give the task its environment or the launcher what it
 * needs.
 *
 * task.h		what a task's process knows at its start
 * task_facts.h	what only this node can tell
 * task_plan.h	the environment of its first process, checked and set
 * task_handover.h	what the launcher makes its plan from
 * rank0_address.h, rdma.h, nccl_conf.h, free_port.h, task_cores.h	facts
 * time_limit.h	a limit on what waits
 *
 * Two call it: the plugin in slurm_spank_task_init() (spank/node/apply.c), and
 * `dist-train exec` on a cluster without the plugin (helpers/cli/exec). They
 * differ in how they reach the task's environment, so this is a struct of
 * functions. All runs as the job's user, with libc alone, in one process that
 * nothing else waits for.
 */
#ifndef DT_TASK_TASK_H
#define DT_TASK_TASK_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/base/interface.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "sys/route.h"

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
};

#endif
