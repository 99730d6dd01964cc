/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin does in each task's process, as the job's user, just
 * before Slurm executes the program: make the task's plan, set the environment,
 * or prepend the launcher. Called by slurm_spank_task_init() in spank/plugin.c.
 */
#include "config.h"

#include "spank/node/node.h"

#include "core/env/process_env.h"
#include "core/facts/keeping.h"
#include "core/facts/share_cores.h"
#include "core/option/key_forms.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/recovery.h"
#include "spank/node/container.h"
#include "spank/slurm/job_life.h"
#include "spank/slurm/secret.h"
#include "spank/slurm/slurmctld.h"
#include "spank/slurm/step_job.h"
#include "sys/log.h"
#include "sys/proc_file.h"
#include "task/keeper.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a keeper waits for its launcher beyond the key timeout, and at most. */
#define KEEPER_MORE_S 180
#define KEEPER_MOST_S 3600

/* What malloc() has the kernel give and take back: glibc's default, before a
 * larger buffer that was freed has raised it. */
#define BUFFER_MIN (128 * 1024)

bool apply_shows_errors(spank_t sp)
{
	const char *id = env_array_value(job_env(sp), "SLURM_LOCALID");

	return !id || !strcmp(id, "0");
}

void apply_prepare(void)
{
	mallopt(M_MMAP_THRESHOLD, BUFFER_MIN);
	mallopt(M_TRIM_THRESHOLD, BUFFER_MIN);
}

/* spank_setenv() costs some microseconds. Where srun has put a marker, the
 * value fits into the marker's own bytes, in this task's own copy of the
 * environment. */
static bool replace_marker(spank_t sp, const char *name, const char *value)
{
	char *now = env_array_value(job_env(sp), name);

	if (!now || strcmp(now, ENV_PLUGIN_MISSING) != 0 ||
	    strlen(value) > strlen(ENV_PLUGIN_MISSING))
		return false;
	strcpy(now, value);
	return true;
}

static int set_all(spank_t sp, const struct envset *set, struct err *err)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];

		if (!env_entry_applies(e) ||
		    (e->value && replace_marker(sp, e->name, e->value)))
			continue;
		if (job_setenv(sp, e->name, e->value, err) < 0)
			return -1;
	}
	return 0;
}

/* What the launcher of the node's first task has told of the process. NULL:
 * nothing, this task has a launcher or needs none. */
static int add_told(const struct plan *plan, const struct keeping *told,
		    struct process *process, struct envset *set,
		    struct err *err)
{
	if (!told)
		return 0;
	if (plan->resolved.npu &&
	    plan_npus_apply(plan, &told->npus, 0, process, err) < 0)
		return -1;
	if (!*told->error_file)
		return 0;
	return envset_add(set, ENV_HINT, "launcher", err, ERROR_FILE_VARIABLE,
			  "%s", told->error_file);
}

/* Compute the environment of the plan's first process and compare it with the
 * task's own variables. A spare has none. */
static int first_process(spank_t sp, const struct task *task,
			 const struct plan *plan, const struct keeping *told,
			 struct process *process, struct envset *set,
			 struct err *err)
{
	if (container_reaches_nodes(plan->job, err) < 0)
		return -1;
	if (plan->spare)
		return 0;
	if (plan_process(plan, 0, process, err) < 0 ||
	    add_told(plan, told, process, set, err) < 0 ||
	    process_env(plan, process, set, err) < 0 ||
	    container_restore(sp, set, err) < 0)
		return -1;
	return task_plan_check(task, plan, process, set, err);
}

static void listen_early(spank_t sp, const struct plan *plan,
			 const struct process *process,
			 const struct envset *set)
{
	struct err unused;
	char **argv;
	int argc;

	if (job_argv(sp, &argc, &argv, &unused) == 0)
		early_port_start(plan, process, set, argv[0]);
}

static int set_process(spank_t sp, const struct plan *plan,
		       const struct process *process, const struct envset *set,
		       struct err *err)
{
	char remark[512];

	if (plan_remark(plan, process, remark, sizeof(remark)))
		log_line("%s", remark);
	if (task_plan_explain(plan, process, set, err) < 0)
		return -1;
	return set_all(sp, set, err);
}

/* What is handed over is no program's, as under a launcher. */
static void forget_handover(spank_t sp)
{
	static const char prefix[] = HANDOVER_PREFIX;
	char name[128];
	char **env = job_env(sp);

	while (env && *env) {
		size_t n = strcspn(*env, "=");

		if (strncmp(*env, prefix, sizeof(prefix) - 1) != 0 ||
		    n >= sizeof(name)) {
			env++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)n, *env);
		if (spank_unsetenv(sp, name) != ESPANK_SUCCESS)
			return;
		env = job_env(sp);
	}
}

/* The launcher waits itself for other nodes, and says who hasn't come. */
static unsigned keeper_limit(const struct plan *plan)
{
	unsigned timeout_s =
		(unsigned)request_seconds(plan->request, KEY_TIMEOUT);

	return timeout_s < KEEPER_MOST_S ? timeout_s + KEEPER_MORE_S
					 : KEEPER_MOST_S + KEEPER_MORE_S;
}

/* A file of another mount namespace would be none of the program's. */
static int check_table(const struct plan *plan, struct err *err)
{
	if (!plan->rank_table || access(plan->rank_table, R_OK) == 0)
		return 0;
	return err_printf(err,
			  "node %s: task %u can't read the rank table %s of "
			  "the node's first task: %s",
			  plan->job->node_name, plan->job->procid,
			  plan->rank_table, strerror(errno));
}

/* In a task whose node has its launcher in the first one. Not inlined: what it
 * is told is 9 KiB, and stack that other tasks needn't touch. */
__attribute__((noinline)) static int
apply_kept(spank_t sp, const struct adapter *adapter, const struct task *task,
	   const struct plan *plan, struct err *err)
{
	struct plan own = *plan;
	struct keeping told;
	struct keeper keeper;
	struct process process;
	struct envset set = {0};
	int rc;

	close(adapter->keepers.launcher); /* it is the first task's */
	secret_forget();
	if (keeper_meet(adapter->keepers.keepers, plan->job->localid,
			keeper_limit(plan), &keeper, &told, err) < 0)
		return -1;
	own.rank_table = *told.table ? told.table : NULL;
	rc = check_table(&own, err);
	if (rc == 0)
		rc = first_process(sp, task, &own, &told, &process, &set, err);
	if (rc == 0)
		rc = set_process(sp, &own, &process, &set, err);
	envset_clear(&set);
	forget_handover(sp);
	if (rc == 0 && keeper_stay(&keeper, err) == 0)
		return 0;
	keeper_fail(&keeper, err);
}

/* `step` has the facts that the launcher reads again. */
static int apply_plan(spank_t sp, const struct adapter *adapter,
		      const struct task *task, const struct job *step,
		      const struct plan *plan, struct err *err)
{
	struct process process;
	struct envset set = {0};
	int rc;

	if (plan->keeper)
		return apply_kept(sp, adapter, task, plan, err);
	rc = first_process(sp, task, plan, NULL, &process, &set, err);
	if (rc == 0 && plan->launcher) {
		rc = prepend_launcher(sp, adapter, task, step,
				      plan->resolved.node_launcher, &set, err);
	} else if (rc == 0) {
		rc = set_process(sp, plan, &process, &set, err);
		if (rc == 0 && adapter->later_plugin)
			rc = later_plugin_hand_over(sp, plan->job, &set, false,
						    err);
		if (rc == 0)
			listen_early(sp, plan, &process, &set);
	}
	envset_clear(&set);
	return rc;
}

/* Refuse an OCI container before Slurm 23.11: Slurm then builds the container's
 * environment before any plugin can set a variable. */
static int check_container(spank_t sp, struct err *err)
{
	if (HAVE_DECL_SPANK_PREPEND_TASK_ARGV ||
	    !job_hasenv(sp, "SLURM_CONTAINER"))
		return 0;
	return err_printf(
		err,
		"srun --container: before version 23.11 Slurm doesn't pass a "
		"plugin's environment variables to an OCI container; use "
		"pyxis, or let the program start the container");
}

static int ask_node(const char *node, struct sockaddr_storage *ret)
{
	struct err ignored;

	return slurmctld_ask_node_addr(node, ret, &ignored);
}

static int set_variable(void *sp, const char *name, const char *value,
			struct err *err)
{
	return job_setenv(sp, name, value, err);
}

static int plan_and_apply(spank_t sp, const struct adapter *adapter,
			  const struct task *task, const struct job *step,
			  struct err *err)
{
	struct plan plan;
	struct job own;
	const struct job *job = first_world(task->request, step, &own, err);
	int rc = -1;

	if (job &&
	    plan_make(task->request, task->config, job, &plan, err) == 0 &&
	    unhooked_check_command(sp, task, &plan, err) == 0)
		rc = apply_plan(sp, adapter, task, step, &plan, err);
	job_clear(&own);
	return rc;
}

static int find_end(void *arg, char ret[NODE_ANSWER_SIZE], struct err *err)
{
	const struct job *job = arg;
	struct job_life life;

	if (slurmctld_job_life((unsigned)job->job_id, &life, err) < 0)
		return -1;
	snprintf(ret, NODE_ANSWER_SIZE, "%lld", (long long)life.end);
	return 0;
}

/* Where srun hasn't told, or its word reaches one component alone. */
static void ask_end(spank_t sp, const struct adapter *a, struct job *job)
{
	struct end_signal signal;
	struct err ignored;
	char text[NODE_ANSWER_SIZE];

	end_signal_of(&a->request, &signal);
	if (!(job->het || job->unhooked) || job->end_time ||
	    (!signal.number && !requeue_of(&a->request) &&
	     !a->request.framework->program_is_file) ||
	    node_memory_once(a->node_memory_fd, ASKED_END, find_end, job, text,
			     &ignored) < 0 ||
	    job_setenv(sp, HANDOVER_END, text, &ignored) < 0)
		return;
	job->end_time = strtoll(text, NULL, 10);
}

/* Find out what the task still has to know, and make of it what it needs. The
 * way to task 0 comes first: there an error is told. */
static int apply_job(spank_t sp, const struct adapter *adapter,
		     const struct task *task, struct job *job, struct err *err)
{
	unsigned learn = 0;

	job->cores = share_of_task(job, cores_of_self(adapter->cores_single));
	if (!job->procid)
		job->cpus_bound = cpus_if_bound();
	unhooked_ask_rank0(sp, job);
	if (task_facts_complete(task, job, err) < 0 ||
	    component_npus_find(sp, adapter, job, err) < 0)
		return -1;
	ask_end(sp, adapter, job);
	if (learning_wanted(sp, task->request, job, &learn, err) < 0)
		return -1;
	return learn ? learning_apply(sp, adapter, task, job, learn, err)
		     : plan_and_apply(sp, adapter, task, job, err);
}

int apply_task(spank_t sp, const struct adapter *adapter, struct err *err)
{
	struct task task = {
		.env = {job_getenv, set_variable, sp},
		.option_text = adapter->option_text,
		.config_text = adapter->config_text,
		.config = &adapter->config,
		.request = &adapter->request,
		.resolved = &adapter->resolved,
		.route = adapter->route,
		.interfaces = &adapter->interfaces,
	};
	struct job job;
	int rc;

	if (check_container(sp, err) < 0 || job_of_task(sp, &job, err) < 0)
		return -1;
	task.ask_node = job.het || job.unhooked ? ask_node : NULL;
	rc = apply_job(sp, adapter, &task, &job, err);
	if (rc < 0)
		rc = learning_refuse(sp, adapter, &task, &job, err);
	job_clear(&job);
	return rc;
}
