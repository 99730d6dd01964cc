/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin does in each task's process, as the job's user, just
 * before Slurm executes the program: make the task's plan, set the environment,
 * or prepend the launcher. Called by slurm_spank_task_init() in spank/plugin.c.
 */
#include "config.h"

#include "spank/node/apply.h"

#include "core/base/cleanup.h"
#include "core/base/env_secret.h"
#include "core/base/parse.h"
#include "core/facts/handover.h"
#include "core/facts/share_cores.h"
#include "core/plan/explain.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/plan_make.h"
#include "core/plan/plan_process.h"
#include "core/plan/plan_remark.h"
#include "core/plan/process_env.h"
#include "spank/node/container.h"
#include "spank/node/free_port.h"
#include "spank/node/later_plugin.h"
#include "spank/node/launcher_argv.h"
#include "spank/node/task_cores.h"
#include "spank/node/task_facts.h"
#include "spank/slurm/log.h"
#include "spank/slurm/step_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool apply_shows_errors(spank_t sp)
{
	cleanup_free char *id = job_getenv(sp, "SLURM_LOCALID");

	return !id || !strcmp(id, "0");
}

/* spank_setenv() costs some microseconds, because Slurm clears a buffer of
 * 256 KiB each time. Where srun has put a marker, the value fits into the
 * marker's own bytes, in this task's own copy of the environment. */
static bool replace_marker(spank_t sp, const char *name, const char *value)
{
	size_t len = strlen(name);
	char **env = job_env(sp);

	if (strlen(value) > strlen(ENV_PLUGIN_MISSING))
		return false;
	for (; env && *env; env++)
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			break;
	if (!env || !*env || strcmp(*env + len + 1, ENV_PLUGIN_MISSING) != 0)
		return false;
	strcpy(*env + len + 1, value);
	return true;
}

/* Refuse a step whose rank 0 isn't on the node where the other ranks expect
 * it. */
static int check_place(const struct plan *plan, struct err *err)
{
	const struct job *job = plan->job;

	if (job->nnodes == 1 || !job->rank0_node ||
	    !strcmp(job->rank0_node, job->node_name))
		return 0;
	return err_printf(err,
			  "rank 0 is on node %s, but the other ranks expect it "
			  "on %s; in a heterogeneous step rank 0 must be on "
			  "the first node of the first component",
			  job->node_name, job->rank0_node);
}

/* Whether the user's own address or port is kept, so that our port isn't used.
 * In a list of all addresses, such as TF_CONFIG, each port follows a colon. */
static bool is_users(const struct envset *set, const struct coordinator *c)
{
	char port[16];

	snprintf(port, sizeof(port), ":%u\"", c->port);
	for (size_t i = 0; i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];

		if (e->state != ENV_KEPT || !e->value)
			continue;
		if (!strcmp(e->value, c->addr) || strstr(e->value, port) ||
		    (strstr(e->name, "PORT") &&
		     strtoul(e->value, NULL, 10) == c->port))
			return true;
	}
	return false;
}

static void report(const struct env_entry *e, const char *ours)
{
	char theirs[SHOW_SIZE], shown[SHOW_SIZE];

	if (!ours) {
		log_line("your %s=%s is kept, but should not be set (%s); "
			 "overwrite=yes removes it",
			 e->name, env_show(e, e->former, theirs), e->source);
		return;
	}
	log_line("your %s=%s is kept, but the step has %s (%s); overwrite=yes "
		 "replaces it",
		 e->name, env_show(e, e->former, theirs),
		 env_show(e, ours, shown), e->source);
}

/* Report, in rank 0 only, which of the user's values contradict the step. A
 * value that is right for rank 0 may be wrong for others, so it is compared
 * with the last rank's too. */
static int report_contradictions(const struct plan *plan,
				 const struct process *process,
				 const struct envset *set, struct err *err)
{
	struct process last = *process;
	struct envset theirs = {0};
	int rc;

	last.rank = plan->world_size - 1;
	rc = process_env(plan, &last, &theirs, err);
	for (size_t i = 0; rc == 0 && i < set->n; i++) {
		const struct env_entry *e = &set->entry[i], *other;

		if (e->kind != ENV_FACT || !e->former)
			continue;
		other = envset_find(&theirs, e->name);
		if (e->state == ENV_KEPT)
			report(e, e->value);
		else if (e->value && e->state == ENV_SAME && other &&
			 other->value && strcmp(other->value, e->value) != 0)
			report(e, other->value);
	}
	envset_clear(&theirs);
	return rc;
}

/* If each process has a port: check that the ports of this task's processes are
 * free. */
static int check_ports(const struct plan *plan, const struct process *first,
		       const struct envset *set, struct err *err)
{
	struct coordinator c = plan->coordinator;

	if (!(plan->resolved.needs & NEEDS_PROCMAP) || is_users(set, &c))
		return 0;
	for (unsigned i = 0; i < plan->nprocs; i++) {
		c.port = plan_port(plan, first->local_rank + i);
		if (free_port_check(&c, plan->job->node_name, err) < 0)
			return -1;
	}
	return 0;
}

static int check_rank0(const struct plan *plan, const struct process *process,
		       const struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (process->rank != 0)
		return 0;
	if (check_place(plan, err) < 0 ||
	    report_contradictions(plan, process, set, err) < 0)
		return -1;
	if (!c->addr || is_users(set, c))
		return 0;
	return free_port_check(c, plan->job->node_name, err);
}

static int explain(const struct plan *plan, const struct process *process,
		   const struct envset *set, struct err *err)
{
	int word = request_word(plan->request, KEY_EXPLAIN);
	cleanup_free char *text = NULL;

	if (word == EXPLAIN_NO)
		return 0;
	text = explain_process(plan, process, set, NULL, err);
	if (!text)
		return -1;
	log_text(word == EXPLAIN_ONLY ? STDOUT_FILENO : STDERR_FILENO, text);
	if (word == EXPLAIN_ONLY)
		_exit(0);
	return 0;
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

/* Compute the environment of the plan's first process and compare it with the
 * task's own variables. */
static int first_process(spank_t sp, const struct plan *plan,
			 struct process *process, struct envset *set,
			 struct err *err)
{
	cleanup_free char *outer = NULL;

	if (plan_process(plan, 0, process, err) < 0 ||
	    process_env(plan, process, set, err) < 0 ||
	    container_restore(sp, set, err) < 0)
		return -1;
	outer = job_getenv(sp, "DIST_TRAIN_STEP");
	envset_resolve(set, job_getenv, sp,
		       request_yes(plan->request, KEY_OVERWRITE),
		       job_is_stale(plan->job, outer));
	if (check_ports(plan, process, set, err) < 0)
		return -1;
	return check_rank0(plan, process, set, err);
}

static int apply_plan(spank_t sp, const struct adapter *adapter,
		      const struct plan *plan, struct err *err)
{
	struct process process;
	struct envset set = {0};
	char remark[512];
	int rc = first_process(sp, plan, &process, &set, err);

	if (rc == 0 && plan->launcher) {
		rc = prepend_launcher(sp, adapter, plan->job, &set, err);
	} else if (rc == 0) {
		if (plan_remark(plan, &process, remark, sizeof(remark)))
			log_line("%s", remark);
		rc = explain(plan, &process, &set, err);
		if (rc == 0)
			rc = set_all(sp, &set, err);
		if (rc == 0 && adapter->later_plugin)
			rc = later_plugin_hand_over(sp, &set, false, err);
	}
	envset_clear(&set);
	return rc;
}

/* Refuse an OCI container before Slurm 23.11: Slurm then builds the container's
 * environment before any plugin can set a variable. */
static int check_container(spank_t sp, struct err *err)
{
	cleanup_free char *container = job_getenv(sp, "SLURM_CONTAINER");

	if (!container || HAVE_DECL_SPANK_PREPEND_TASK_ARGV)
		return 0;
	return err_printf(
		err,
		"srun --container: before version 23.11 Slurm doesn't pass a "
		"plugin's environment variables to an OCI container; use "
		"pyxis, or let the program start the container");
}

int apply_task(spank_t sp, const struct adapter *adapter, struct err *err)
{
	const struct request *r = &adapter->request;
	struct plan plan;
	struct job job;
	int rc;

	if (check_container(sp, err) < 0 || job_of_task(sp, &job, err) < 0)
		return -1;
	job.cores = share_of_task(&job, cores_of_self());
	rc = task_facts_complete(sp, adapter, &job, err);
	if (rc == 0)
		rc = plan_make(r, &adapter->config, &job, &plan, err);
	if (rc == 0)
		rc = apply_plan(sp, adapter, &plan, err);
	job_clear(&job);
	return rc;
}
