/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a task of a heterogeneous step, or of srun --async: what the other nodes
 * have is known to nobody before the tasks run. srun's side of the plugin is
 * called when the step exists, but what it sets then reaches one component; an
 * srun --async has left. So the launchers tell each other (helpers/meet), as
 * under dist-train exec, and make their plans of that. Called by apply.c.
 */
#include "spank/node/node.h"

#include "core/env/process_env.h"
#include "core/facts/learned.h"
#include "core/plan/framework.h"
#include "spank/node/container.h"
#include "spank/slurm/step_job.h"
#include "sys/socket.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what srun --async hasn't told --- */

/* Whether Slurm may have dealt out the tasks by its topology: since 26.05,
 * where it has one that isn't flat. */
static bool follows_topology(spank_t sp)
{
	const char *pattern = job_getenv(sp, "SLURM_TOPOLOGY_ADDR_PATTERN");

	return job_hasenv(sp, "SLURM_JOB_SLUID") && pattern &&
	       strcmp(pattern, "node") != 0;
}

void unhooked_ask_rank0(spank_t sp, struct job *job)
{
	struct srun_step step;
	char node[HOSTLIST_NAME_MAX], *copy;
	struct err ignored;

	if (!job->unhooked || job->nnodes == 1 || !follows_topology(sp) ||
	    job_of_srun(sp, &step, &ignored) < 0 ||
	    rank0_ask_node(&step, node, &ignored) < 0)
		return;
	copy = strdup(node);
	if (!copy)
		return;
	free(job->rank0_node);
	job->rank0_node = copy;
}

int unhooked_check_command(spank_t sp, const struct task *task,
			   const struct plan *plan, struct err *err)
{
	char **argv;
	int argc;

	if (!plan->job->unhooked)
		return 0;
	if (job_argv(sp, &argc, &argv, err) < 0)
		return -1;
	return task_command_check(task, plan, argv, err);
}

/* --- what launchers learn --- */

/* The number of devices of every node as if it were this one's. */
static int guess_counts(struct job *job, struct err *err)
{
	free(job->procs);
	if (asprintf(&job->procs, "%u(x%u)", device_count(&job->devices),
		     job->ntasks) >= 0)
		return 0;
	job->procs = NULL;
	return err_memory(err);
}

/* With MPI, and without a launcher, a task is a process: each node that has
 * devices for more refuses the step. */
static bool may_refuse(const struct request *r, const struct resolved *w,
		       const struct job *job)
{
	return job->het && (w->pmi || w->no_launcher) && w->device_counts &&
	       request_word(r, KEY_PROCS) != PROCS_N &&
	       device_count(&job->devices);
}

/* A step of srun --async. On one node, or where nothing is to be learned, this
 * node's count is that of all. */
static int unhooked_wanted(spank_t sp, const struct request *r, struct job *job,
			   unsigned *ret, struct err *err)
{
	struct resolved w;
	bool named;

	resolve(r, job, &w);
	named = !(w.needs & (NEEDS_PROCMAP | NEEDS_TASKMAP)) ||
		host_is_known(job->rank0_node);
	*ret = resolve_unhooked_learn(r, &w, job, job_hasenv(sp, "SLURM_GPUS"),
				      named);
	if (*ret || !w.device_counts || !device_count(&job->devices))
		return 0;
	return guess_counts(job, err);
}

int learning_wanted(spank_t sp, const struct request *r, struct job *job,
		    unsigned *ret, struct err *err)
{
	struct resolved w;

	if (job->unhooked)
		return unhooked_wanted(sp, r, job, ret, err);
	resolve(r, job, &w);
	if (may_refuse(r, &w, job) && guess_counts(job, err) < 0)
		return -1;
	*ret = resolve_components_learn(r, &w, job,
					job_getenv(sp, HANDOVER_COMPONENTS));
	return 0;
}

/* What is the same whatever the others have: that rank 0's port is free, and
 * that it is where all look for it. A plan that can't be made of the guess says
 * nothing. */
static int check_guess(spank_t sp, const struct task *task,
		       const struct job *job, struct envset *set,
		       struct err *err)
{
	struct task learner = *task;
	struct process process;
	struct plan plan;
	struct err ignored;

	learner.learns = true;
	if (plan_make(task->request, task->config, job, &plan, &ignored) < 0)
		return 0;
	if (unhooked_check_command(sp, task, &plan, err) < 0)
		return -1;
	if (plan.resolved.needs & (NEEDS_PROCMAP | NEEDS_TASKMAP) ||
	    plan_process(&plan, 0, &process, &ignored) < 0 ||
	    process_env(&plan, &process, set, &ignored) < 0)
		return 0;
	if (container_restore(sp, set, err) < 0)
		return -1;
	return task_plan_check(&learner, &plan, &process, set, err);
}

/* This node's own, for the launcher to tell. */
static int find_own(const struct task *task, struct job *job, unsigned what,
		    struct err *err)
{
	char addr[NI_MAXHOST];

	free(job->procs);
	job->procs = NULL;
	if (what & LEARN_COUNTS &&
	    asprintf(&job->procs, "%u", device_count(&job->devices)) < 0) {
		job->procs = NULL;
		return err_memory(err);
	}
	if (!(what & LEARN_ADDRS) || job->own_addr ||
	    rank0_address(job->node_name, job->nodes, task->ask_node, addr,
			  sizeof(addr)) < 0)
		return 0;
	job->own_addr = strdup(addr);
	return job->own_addr ? 0 : err_memory(err);
}

static int hand_learning(spank_t sp, unsigned what, struct err *err)
{
	char words[LEARNED_WORDS_SIZE];

	return job_setenv(sp, HANDOVER_LEARN, learned_words_text(what, words),
			  err);
}

static int apply(spank_t sp, const struct adapter *adapter,
		 const struct task *task, struct job *job, unsigned what,
		 struct envset *set, struct err *err)
{
	if (container_reaches_nodes(job, err) < 0 ||
	    (what & LEARN_COUNTS && guess_counts(job, err) < 0) ||
	    check_guess(sp, task, job, set, err) < 0 ||
	    find_own(task, job, what, err) < 0 ||
	    hand_learning(sp, what, err) < 0)
		return -1;
	return prepend_launcher(sp, adapter, task, job, false, set, err);
}

int learning_apply(spank_t sp, const struct adapter *adapter,
		   const struct task *task, struct job *job, unsigned what,
		   struct err *err)
{
	struct envset set = {0};
	int rc = apply(sp, adapter, task, job, what, &set, err);

	envset_clear(&set);
	return rc;
}

int learning_refuse(spank_t sp, const struct adapter *adapter,
		    const struct task *task, struct job *job,
		    const struct err *why)
{
	struct envset none = {0};
	struct resolved w;
	struct err ignored;
	unsigned what;

	resolve(task->request, job, &w);
	what = resolve_components_learn(task->request, &w, job,
					job_getenv(sp, HANDOVER_COMPONENTS));
	if (!what || job_setenv(sp, HANDOVER_REFUSAL, why->text, &ignored) < 0)
		return -1;
	if (hand_learning(sp, what, &ignored) < 0)
		return -1;
	return prepend_launcher(sp, adapter, task, job, false, &none, &ignored);
}
