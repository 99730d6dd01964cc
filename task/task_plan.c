/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/base/env_secret.h"
#include "core/base/parse.h"
#include "core/command/step_command_check.h"
#include "core/command/wrapped_command.h"
#include "core/env/process_env.h"
#include "core/explain/explain.h"
#include "core/facts/handover.h"
#include "core/plan/framework.h"
#include "sys/log.h"
#include "sys/socket.h"
#include "sys/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* command_getenv has no argument of ours; a process has one task. */
static const struct task_env *asked;

static char *variable(const char *name)
{
	return (char *)asked->get(asked->arg, name);
}

int task_command_check(const struct task *task, const struct plan *plan,
		       char **argv, struct err *err)
{
	char room[COMMAND_ROOM], remark[600];
	struct step_command c;
	int argc = 0;

	while (argv[argc])
		argc++;
	wrapped_command_read(argc, argv, text_file_read, room, &c);
	asked = &task->env;
	if (step_command_check_words(plan->request, &plan->resolved,
				     plan->job->ntasks, &c, err) < 0 ||
	    step_command_check(plan, &c, variable, err) < 0)
		return -1;
	if (plan->job->procid == 0 &&
	    step_command_remark(plan, &c, remark, sizeof(remark)))
		log_line("%s", remark);
	return 0;
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

		if (e->state != ENV_KEPT || !e->value || e->kind == ENV_HINT)
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
	char theirs[SHOW_SIZE], line[ENV_KEPT_SIZE];

	if (!ours) {
		log_line("your %s=%s is kept, but should not be set (%s); "
			 "overwrite=yes removes it",
			 e->name, env_show(e, e->former, theirs), e->source);
		return;
	}
	log_line("%s", env_kept(e, ours, line));
}

static int contradicts(const struct task *task, const struct env_entry *e,
		       const char *ours, struct err *err)
{
	if (e->kind == ENV_WORLD)
		return task->learns ? 0 : env_refuse(e, ours, err);
	report(e, ours);
	return 0;
}

/* A launcher says this itself: it comes after a TaskProlog, and may know other
 * numbers of the devices. */
static bool is_launchers(const struct plan *plan, const struct process *process,
			 const struct env_entry *e)
{
	return plan->launcher && process->devices.variable &&
	       !strcmp(e->name, process->devices.variable);
}

/* Report, in rank 0 only, which of the user's values contradict the step, or
 * refuse them. A value that is right for rank 0 may be wrong for others, so it
 * is compared with the last rank's too. `replaced`: they are nobody's. */
static int report_contradictions(const struct task *task,
				 const struct plan *plan,
				 const struct process *process,
				 const struct envset *set, bool replaced,
				 struct err *err)
{
	struct process last = *process;
	struct envset theirs = {0};
	int rc;

	if (replaced)
		return 0;
	last.rank = plan->world_size - 1;
	rc = process_env(plan, &last, &theirs, err);
	for (size_t i = 0; rc == 0 && i < set->n; i++) {
		const struct env_entry *e = &set->entry[i], *other;

		if ((e->kind != ENV_WORLD && e->kind != ENV_FACT) ||
		    !e->former || is_launchers(plan, process, e))
			continue;
		other = envset_find(&theirs, e->name);
		if (e->state == ENV_KEPT)
			rc = contradicts(task, e, e->value, err);
		else if (e->value && e->state == ENV_SAME && other &&
			 other->value && strcmp(other->value, e->value) != 0)
			rc = contradicts(task, e, other->value, err);
	}
	envset_clear(&theirs);
	return rc;
}

/* Report what the user had where only the step's value can work. */
static void report_replaced(const struct envset *set)
{
	char names[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < set->n && used < sizeof(names); i++) {
		const struct env_entry *e = &set->entry[i];

		if (e->kind == ENV_STEPS && e->state == ENV_REPLACED &&
		    strcmp(e->former, ENV_PLUGIN_MISSING) != 0)
			used += (size_t)snprintf(names + used,
						 sizeof(names) - used, "%s%s",
						 used ? ", " : "", e->name);
	}
	if (*names)
		log_line("your %s: replaced or removed, because only the step "
			 "can know what is right (explain=yes shows it)",
			 names);
}

/* Check that rank 0 can listen on the coordinator's port of this node, as
 * frameworks do (all addresses, SO_REUSEADDR). Opens and closes a socket; never
 * waits. Fails with `port N on NODE is in use`. */
static int free_port_check(const struct coordinator *coordinator,
			   const char *node, struct err *err)
{
	cleanup_close int fd = socket_listen(NULL, coordinator->port, 1);

	if (fd >= 0)
		return 0;
	if (errno == EADDRINUSE)
		return err_printf(err,
				  "port %u on %s is in use (it was %s); choose "
				  "another with port=N",
				  coordinator->port, node,
				  coordinator_port_source(coordinator));
	return err_printf(
		err,
		"can't listen on port %u of %s: %s; choose another with port=N",
		coordinator->port, node, strerror(errno));
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

static int check_rank0(const struct task *task, const struct plan *plan,
		       const struct process *process, const struct envset *set,
		       bool replaced, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (process->rank != 0)
		return 0;
	if (check_place(plan, err) < 0 ||
	    report_contradictions(task, plan, process, set, replaced, err) < 0)
		return -1;
	if (!c->addr || is_users(set, c))
		return 0;
	return free_port_check(c, plan->job->node_name, err);
}

int task_plan_check(const struct task *task, const struct plan *plan,
		    const struct process *process, struct envset *set,
		    struct err *err)
{
	const struct task_env *env = &task->env;
	const char *outer = env->get(env->arg, "DIST_TRAIN_STEP");
	bool overwrite = request_yes(plan->request, KEY_OVERWRITE);
	bool stale = job_is_stale(plan->job, outer);

	envset_resolve(set, env->get, env->arg, overwrite, stale);
	if (process->rank == 0 && !overwrite && !stale)
		report_replaced(set);
	if (check_ports(plan, process, set, err) < 0)
		return -1;
	return check_rank0(task, plan, process, set, overwrite || stale, err);
}

int task_plan_explain(const struct plan *plan, const struct process *process,
		      const struct envset *set, struct err *err)
{
	int word = request_word(plan->request, KEY_EXPLAIN);
	cleanup_free char *text = NULL;

	if (word == EXPLAIN_NO)
		return 0;
	text = explain_process(plan, process, set, NULL, EXPLAIN_ALL, err);
	if (!text)
		return -1;
	log_text(word == EXPLAIN_ONLY ? STDOUT_FILENO : STDERR_FILENO, text);
	if (word == EXPLAIN_ONLY)
		_exit(0);
	return 0;
}

void task_handover_id(const struct job *job, char ret[HANDOVER_ID_SIZE])
{
	snprintf(ret, HANDOVER_ID_SIZE, "%d:%lu.%lu", HANDOVER_VERSION,
		 job->job_id, job->step_id);
}

int task_hand_over(const struct task *task, const struct job *job,
		   const char *id, struct err *err)
{
	const struct task_env *env = &task->env;
	const struct {
		const char *name, *value;
	} all[] = {
		{HANDOVER_ID, id},
		{HANDOVER_REQUEST, task->option_text},
		{HANDOVER_CONFIG, task->config_text},
		{HANDOVER_OWN, task->config->own_defaults},
		{HANDOVER_NODE, job->rank0_node},
		{HANDOVER_ADDR, job->rank0_addr},
		{HANDOVER_PROCS, job->procs},
		{HANDOVER_NIC, job->nic},
		{HANDOVER_INTERFACES, job->interfaces},
		{HANDOVER_NCCL_CONF, job->nccl_conf},
		{HANDOVER_OWN_ADDR, job->own_addr},
		{HANDOVER_NIC_ADDR, job->nic_addr},
		{HANDOVER_RDMA, job->rdma},
		{HANDOVER_PRELOAD, env->get(env->arg, PRELOAD_VARIABLE)},
		{PRELOAD_VARIABLE, NULL},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (env->set(env->arg, all[i].name, all[i].value, err) < 0)
			return -1;
	return 0;
}
