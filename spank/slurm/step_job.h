/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What SPANK knows about a step. No other file calls spank_get_item().
 */
#pragma once

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/facts/job.h"

#include <netdb.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <sys/types.h>

/* The step as srun knows it, from slurm_spank_local_user_init on. In a
 * heterogeneous step these are one component's. */
struct srun_step {
	unsigned job_id, step_id, nnodes, ntasks;
};

int job_of_srun(spank_t sp, struct srun_step *ret, struct err *err);

/* Whether slurmstepd runs an ordinary step, made by srun: not a batch script,
 * not salloc's shell, not the external step. */
bool job_is_srun_step(spank_t sp);

/* On a node: whether srun's side of the plugin has passed values on for this
 * very step, in this version. Values of another step, or those that the user
 * has set where srun has no plugin, don't count. */
bool job_was_handed_over(spank_t sp);

/* The value of such a variable; NULL where none was passed on. */
const char *job_handed(spank_t sp, const char *name);

/* Whose step slurmstepd runs. */
struct step_owner {
	uid_t uid;
	gid_t gid;
	unsigned job_id, step_id;
	unsigned ntasks; /* on this node */
};

int job_owner(spank_t sp, struct step_owner *ret);

/* The task that has just ended (task_exit). */
struct ended_task {
	pid_t pid;
	int localid; /* its number among this node's tasks */
	bool killed; /* by a signal */
};

/* Returns 0, or -1: Slurm doesn't say it. */
int job_ended_task(spank_t sp, struct ended_task *ret);

/* The name of the node that slurmstepd runs on, before any task is. Returns 0,
 * or -1 where Slurm doesn't tell, as in a heterogeneous step. */
int job_node_name(spank_t sp, char ret[HOSTLIST_NAME_MAX]);

/* The facts of the task that is about to start (task_init). */
int job_of_task(spank_t sp, struct job *ret, struct err *err);

/* The command: in srun as the user gave it, from slurm_spank_local_user_init
 * on; on a node the argument vector that slurmstepd will execute. Borrowed;
 * it ends with NULL. Returns 0 or -1; then *ret is undefined. */
int job_argv(spank_t sp, int *ret_argc, char ***ret, struct err *err);

/* Set a variable of the step or task, or unset it (value NULL). Fails when
 * Slurm refuses it, and when Slurm would drop it in silence: spank_setenv()
 * returns success for strings above ENV_STRING_MAX. */
int job_setenv(spank_t sp, const char *name, const char *value,
	       struct err *err);

/* The environment that slurmstepd will execute the task with: its own array,
 * NULL-terminated; NULL when Slurm doesn't tell. */
char **job_env(spank_t sp);

/* An env_lookup_fn over the environment of the step or task; arg is the
 * spank_t. */
const char *job_getenv(void *sp, const char *name);
bool job_hasenv(spank_t sp, const char *name);

/*
 * Where rank 0 will run: its node, and an address that the others can reach.
 * srun finds both, because a slow name look-up there delays nothing else.
 */

struct rank0 {
	char node[HOSTLIST_NAME_MAX];
	char addr[NI_MAXHOST]; /* IP address as text; empty: not known */
};

/* The node: from srun's environment where that is certain, else from the
 * controller (one RPC). Its address: NodeAddr. One that is a loopback here (a
 * host's own name in its hosts file) is replaced by the one that routes to
 * another node of the job. Not knowing an address is no failure: the node's
 * name is left. */
int rank0_find(const struct srun_step *step, struct rank0 *ret,
	       struct err *err);

/* The node alone: one RPC. */
int rank0_ask_node(const struct srun_step *step, char ret[HOSTLIST_NAME_MAX],
		   struct err *err);

/* The address of a node whose name means a loopback here, so that this host is
 * that node: the one by which it reaches another one of `nodes`. Returns 0, or
 * -1 with `ret` as it was. */
int rank0_own_address(const char *node, const char *nodes, char *ret,
		      unsigned size);
