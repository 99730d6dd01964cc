/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of one process: the neutral DIST_TRAIN_* names, Slurm's
 * own variables rewritten for a process that the launcher starts, the
 * framework's, the network interface, the number of threads, what makes a
 * process that hangs speak, the dialect's and the administrator's profile, in
 * this order.
 */
#include "core/env/process_env.h"

#include "core/base/ip.h"
#include "core/base/text.h"
#include "core/facts/components.h"
#include "core/facts/handover.h"
#include "core/facts/share_cores.h"
#include "core/option/option.h"
#include "core/plan/coordinator.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"
#include "core/plan/procmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The DIST_TRAIN_* names. A service has no rank, and is in no replica group. */
static int neutral(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	static const char src[] = "computed", groups[] = "replica groups";
	bool ranked = !p->added, grouped = plan->nreplicas && !p->added;
	const struct coordinator *c = &plan->coordinator;
	char devices[1024], step[JOB_STEP_SIZE];
	const struct env_row rows[] = {
		{ENV_OURS, "DIST_TRAIN_FRAMEWORK", "your option",
		 .text = plan->request->framework->name},
		{ENV_OURS, plan->job->world ? NULL : "DIST_TRAIN_ROLE", src,
		 .text = role_name(p->role)},
		{ENV_OURS, ranked ? "DIST_TRAIN_RANK" : NULL,
		 plan_rank_source(plan), .n = p->rank},
		{ENV_OURS, "DIST_TRAIN_WORLD_SIZE", src, .n = plan->world_size},
		{ENV_OURS, ranked ? "DIST_TRAIN_LOCAL_RANK" : NULL, src,
		 .n = p->local_rank},
		{ENV_OURS, "DIST_TRAIN_LOCAL_WORLD_SIZE", src,
		 .n = plan->nodes_procs},
		{ENV_OURS, "DIST_TRAIN_NODE_RANK", src, .n = plan->node_rank},
		{ENV_OURS, "DIST_TRAIN_NNODES", "SLURM_STEP_NUM_NODES",
		 .n = plan->nnodes},
		{ENV_OURS, "DIST_TRAIN_DEVICES", "devices allocated by Slurm",
		 .text = devices},
		{ENV_OURS, "DIST_TRAIN_RESTART", "restarts in place",
		 .n = plan->job->begun + plan->job->round},
		{ENV_OURS, "DIST_TRAIN_STEP", "job, step, requeues",
		 .text = job_step(plan->job, step)},
		{ENV_OURS, c->addr ? "DIST_TRAIN_MASTER_ADDR" : NULL,
		 c->addr_source, .text = c->addr},
		{ENV_OURS, c->addr ? "DIST_TRAIN_MASTER_PORT" : NULL,
		 coordinator_port_source(c), .n = c->port},
		{ENV_OURS, grouped ? "DIST_TRAIN_REPLICA" : NULL, groups,
		 .n = p->world.replica},
		{ENV_OURS, grouped ? "DIST_TRAIN_REPLICAS" : NULL, groups,
		 .n = plan->nreplicas},
	};

	if (idlist_format(&p->devices.own, devices, sizeof(devices)) < 0)
		return err_printf(err, "DIST_TRAIN_DEVICES: too many devices");
	return ENVSET_ADD(set, rows, err);
}

static int add_interface(struct envset *set, const char *source,
			 const char *name, const char *prefix, const char *nic,
			 struct err *err)
{
	if (!nic || !*nic)
		return envset_unset(set, ENV_HINT, source, err, name);
	return envset_add(set, ENV_HINT, source, err, name, "%s%s", prefix,
			  nic);
}

/* The interfaces, in each library's own syntax: "=eth0" is an exact name for
 * NCCL and HCCL; Gloo and TensorPipe take concrete names only. HCCL takes the
 * first of a list that it finds, so that it can have all of the user's. */
static int interfaces(const struct plan *plan, struct envset *set,
		      struct err *err)
{
	const char *names = request_text(plan->request, KEY_NIC);
	const char *source, *nic = plan_nic(plan, &source);
	struct nic_list nccl;

	if (!(plan->resolved.needs & NEEDS_NIC))
		return 0;
	nic_nccl(plan, &nccl);
	if (add_interface(set, nccl.source, "NCCL_SOCKET_IFNAME", "=",
			  nccl.names, err) < 0 ||
	    add_interface(set, source, "HCCL_SOCKET_IFNAME", "=",
			  names ? names : nic, err) < 0 ||
	    add_interface(set, source, "GLOO_SOCKET_IFNAME", "", nic, err) < 0)
		return -1;
	return add_interface(set, source, "TP_SOCKET_IFNAME", "", nic, err);
}

static int add_threads(struct envset *set, const char *name, const char *source,
		       bool imagined, unsigned cores, struct err *err)
{
	if (cores)
		return envset_add(set, ENV_HINT, source, err, name, "%u",
				  cores);
	if (imagined)
		return envset_add(set, ENV_HINT, source, err, name,
				  ENV_ON_NODE);
	return envset_unset(set, ENV_HINT, source, err, name);
}

/* The number of threads for OpenMP (also PyTorch and MKL), OpenBLAS and
 * GotoBLAS. The latter two follow OMP_NUM_THREADS when their own variable isn't
 * set, so they are left out when the user has set that one.
 *
 * Ranks that mpirun and its like start have the launcher's environment: a
 * slot's share of the node's cores. torchrun has its own number. */
static int threads(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	static const char *const names[] = {
		"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS"};
	bool launches = p->role == ROLE_LAUNCHER;
	const struct job *job = plan->job;
	unsigned cores = p->cores;

	if (p->added || (launches && !(plan->resolved.needs & NEEDS_HOST_FILE)))
		return 0;
	if (launches)
		cores = share_of_process(cores * job->local_ntasks,
					 hostfile_own_slots(plan));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (add_threads(set, names[i],
				launches ? "cores of the node by slots"
					 : "cores of this process",
				job->imagined, cores, err) < 0)
			return -1;
	envset_follow(set, names[1], names[0]);
	envset_follow(set, names[2], names[0]);
	return 0;
}

/* A Python program that the launcher has to end then says where it was
 * (helpers/procs/last_words.h). Other programs don't know the name. */
static int last_words(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	if (!plan->launcher || p->added)
		return 0;
	return envset_add(set, ENV_HINT, "stacks of one that hangs", err,
			  "PYTHONFAULTHANDLER", "1");
}

/* The launcher knows the file, and adds it itself. */
static int error_file(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	if (!plan->job->imagined || !plan->launcher || p->added ||
	    !(plan->resolved.needs & NEEDS_ERROR_FILE))
		return 0;
	return envset_add(set, ENV_HINT, "launcher", err, ERROR_FILE_VARIABLE,
			  ENV_ON_NODE);
}

/* For programs that ask themselves how long they have. */
static int end_time(const struct plan *plan, const struct process *p,
		    struct envset *set, struct err *err)
{
	const struct request *r = plan->request;
	char text[24] = ENV_ON_NODE;

	if (p->added ||
	    (!request_text(r, KEY_END_SIGNAL) && !request_text(r, KEY_REQUEUE)))
		return 0;
	if (plan->job->end_time)
		snprintf(text, sizeof(text), "%lld",
			 (long long)plan->job->end_time);
	else if (!plan->job->imagined)
		return 0;
	return envset_add(set, ENV_OURS, "the job's end", err,
			  "DIST_TRAIN_END_TIME", "%s", text);
}

/* These, too. */
static int metrics(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	static const char *const names[] = {
		METRICS_FILE_VARIABLE, METRICS_URL_VARIABLE,
		METRICS_CERT_VARIABLE, METRICS_TOKEN_VARIABLE};

	if (!plan->job->imagined || !plan->resolved.metrics || p->added)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (envset_add(set, ENV_HINT, "launcher", err, names[i],
			       ENV_ON_NODE) < 0)
			return -1;
	return 0;
}

static const char *visible_source(const struct plan *plan,
				  const struct process_devices *devices)
{
	if (!devices->own.n)
		return "this role has no device";
	if (request_word(plan->request, KEY_VISIBLE) != VISIBLE_AUTO)
		return "key visible";
	return plan->resolved.visible == VISIBLE_ALL
		       ? "the step's devices on this node"
		       : "its own devices";
}

/* A site's list of NPUs stays where nothing of the step's depends on ours. */
static enum env_kind visible_kind(const struct plan *plan,
				  const struct process_devices *devices)
{
	bool ours = plan->resolved.npu || !devices->own.n ||
		    plan->resolved.visible != VISIBLE_ALL ||
		    request_word(plan->request, KEY_VISIBLE) != VISIBLE_AUTO;

	return ours ? ENV_OURS : ENV_FACT;
}

/* --- the addresses of the whole step --- */

/* Where each process listens, in the order of ranks. */
static void put_peers(FILE *f, const struct plan *plan,
		      const struct procmap *map)
{
	char endpoint[ENDPOINT_SIZE];

	for (unsigned r = 0; r < plan->world_size; r++)
		fprintf(f, "%s%s", r ? "," : "",
			endpoint_format(map->host[map->peer[r].node],
					plan_port(plan, map->peer[r].local),
					endpoint));
}

/* Each node in the order of node ranks: in device mode that of their ranks. */
static void put_hosts(FILE *f, const struct plan *plan,
		      const struct procmap *map)
{
	const char *comma = "";

	for (unsigned i = 0; !plan->resolved.device_mode && i < plan->nnodes;
	     i++)
		fprintf(f, "%s%s", i ? "," : "", map->host[i]);
	for (unsigned r = 0; plan->resolved.device_mode && r < plan->world_size;
	     r++) {
		if (map->peer[r].local)
			continue;
		fprintf(f, "%s%s", comma, map->host[map->peer[r].node]);
		comma = ",";
	}
}

typedef void put_fn(FILE *f, const struct plan *plan,
		    const struct procmap *map);

static int add_list(const char *name, put_fn *put, const struct plan *plan,
		    const struct procmap *map, struct envset *set,
		    struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;

	if (f)
		put(f, plan, map);
	text = text_stream_take(&stream);
	if (!text)
		return err_memory(err);
	if (strlen(name) + strlen(text) + 2 > ENV_STRING_MAX)
		return err_printf(
			err,
			"%s would have %zu bytes for %u processes on "
			"%u nodes, but a variable has at most %d with "
			"its name; use fewer processes",
			name, strlen(text), plan->world_size, plan->nnodes,
			ENV_STRING_MAX - 1);
	return envset_add(set, ENV_OURS, "nodes of the step", err, name, "%s",
			  text);
}

/* Add DIST_TRAIN_PEERS, DIST_TRAIN_HOST_ADDRS and, for a process that has a
 * rank, DIST_TRAIN_PORT: for programs that connect their processes themselves
 * (NEEDS_PEERS). Fails when the places or addresses aren't known, out of
 * memory, and when a list is longer than a variable can be. */
static int peers_env(const struct plan *plan, const struct process *p,
		     struct envset *set, struct err *err)
{
	cleanup_procmap struct procmap map = {NULL, NULL};

	if (!(plan->resolved.needs & NEEDS_PEERS))
		return 0;
	if (procmap_find(plan, &map, err) < 0 ||
	    add_list("DIST_TRAIN_PEERS", put_peers, plan, &map, set, err) < 0 ||
	    add_list("DIST_TRAIN_HOST_ADDRS", put_hosts, plan, &map, set, err) <
		    0)
		return -1;
	if (p->added)
		return 0;
	return envset_add(set, ENV_OURS, "its own among these", err,
			  "DIST_TRAIN_PORT", "%u",
			  plan_port(plan, p->local_rank));
}

/* --- the administrator's profile --- */

/* Whether the value comes from a key that the user has given, which is stronger
 * than a profile. */
static bool is_users_key(const struct plan *plan, const struct env_entry *e)
{
	const struct request *r = plan->request;

	return (request_given(r, KEY_NIC) && !strcmp(e->source, "key nic")) ||
	       (request_given(r, KEY_VISIBLE) &&
		!strcmp(e->source, "key visible"));
}

static int add_folder(const struct profile_line *l, const struct env_entry *e,
		      struct envset *set, struct err *err)
{
	if (!e || e->kind != ENV_FOLDERS)
		return envset_add(set, ENV_FOLDERS, "profile", err, l->name,
				  "%s", l->value);
	return envset_add(set, ENV_FOLDERS, "profile", err, l->name, "%s:%s",
			  l->value, e->value);
}

/* Put the profile of the plan's job over what the framework has chosen, but not
 * over what a key of the user's has. Fails when it sets what is true of the
 * step, such as RANK. */
static int profile_add(const struct plan *plan, struct envset *set,
		       struct err *err)
{
	const struct profile *profile = &plan->job->profile;

	for (size_t i = 0; i < profile->n; i++) {
		const struct profile_line *l = &profile->line[i];
		const struct env_entry *e = envset_find(set, l->name);
		int rc;

		if (e && env_kind_is_true(e->kind))
			return err_printf(err,
					  "the profile sets %s, but a profile "
					  "can't set a variable that the step "
					  "computes for each process",
					  l->name);
		if (e && is_users_key(plan, e))
			continue;
		rc = l->folder ? add_folder(l, e, set, err)
			       : envset_add(set, ENV_HINT, "profile", err,
					    l->name, "%s", l->value);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* --- Slurm's own variables --- */

static const char rewritten[] = "rewritten for this process";

static int view_of_process(const struct plan *plan, const struct process *p,
			   const char *per_node, struct envset *set,
			   struct err *err)
{
	static const char same[] = "SLURM_NTASKS_PER_NODE";
	unsigned size = plan->world_size;
	const struct env_row rows[] = {
		{ENV_OURS, "SLURM_PROCID", rewritten, .n = p->rank},
		{ENV_OURS, "SLURM_LOCALID", rewritten, .n = p->local_rank},
		{ENV_OURS, "SLURM_NTASKS", rewritten, .n = size},
		{ENV_OURS, "SLURM_NPROCS", rewritten, .n = size},
		{ENV_OURS, "SLURM_STEP_NUM_TASKS", rewritten, .n = size},
		{ENV_OURS, plan->uniform ? same : NULL, rewritten,
		 .n = plan->nodes_procs},
	};

	if (ENVSET_ADD(set, rows, err) < 0 ||
	    (!plan->uniform &&
	     envset_unset(set, ENV_OURS, rewritten, err, same) < 0))
		return -1;
	return per_node
		       ? envset_add(set, ENV_OURS, rewritten, err,
				    "SLURM_STEP_TASKS_PER_NODE", "%s", per_node)
		       : 0;
}

/* The ranks of this node, "4,5,6,7". */
static char *own_ranks(const struct plan *plan, const struct process *p)
{
	unsigned first = p->rank - p->local_rank;
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (unsigned i = 0; f && i < plan->nodes_procs; i++)
		fprintf(f, "%s%u", i ? "," : "", first + i);
	return text_stream_take(&stream);
}

/* The nodes of the world, in its order; in recovery they are fewer than the
 * step's. Those of a heterogeneous step are in the order of SLURM_NODEID, which
 * Slurm's own list isn't. SLURM_JOB_NODELIST stays the job's, as in a step on
 * some of its nodes; SLURM_JOB_NUM_NODES is another name of SLURM_NNODES, which
 * programs multiply with the tasks per node. */
static int view_of_nodes(const struct plan *plan, const struct process *p,
			 const char *per_node, struct envset *set,
			 struct err *err)
{
	bool fewer = plan->resolved.recovery;
	cleanup_free char *ranks = plan->job->dealt
					   ? components_own_ranks(plan->job)
					   : own_ranks(plan, p);
	const char *nodes = plan->job->nodes;
	const struct env_row rows[] = {
		{ENV_OURS, fewer ? "SLURM_NNODES" : NULL, rewritten,
		 .n = plan->nnodes},
		{ENV_OURS, fewer ? "SLURM_JOB_NUM_NODES" : NULL, rewritten,
		 .n = plan->nnodes},
		{ENV_OURS, fewer ? "SLURM_STEP_NUM_NODES" : NULL, rewritten,
		 .n = plan->nnodes},
		{ENV_OURS, "SLURM_NODEID", rewritten, .n = plan->node_rank},
		{ENV_OURS, nodes ? "SLURM_NODELIST" : NULL, rewritten,
		 .text = nodes},
		{ENV_OURS, nodes ? "SLURM_STEP_NODELIST" : NULL, rewritten,
		 .text = nodes},
		{ENV_OURS, per_node ? "SLURM_TASKS_PER_NODE" : NULL, rewritten,
		 .text = per_node},
		{ENV_OURS, "SLURM_GTIDS", rewritten, .text = ranks},
	};

	return ranks ? ENVSET_ADD(set, rows, err) : err_memory(err);
}

/* Slurm's own variables as a process is to see them, which JAX, Lightning and
 * others read: where the launcher, not Slurm, starts it, and in recovery, where
 * the world isn't the whole step. Nothing for a process that Slurm's variables
 * are true of. */
static int slurm_view(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	const struct resolved *w = &plan->resolved;
	char by_task[512];
	const char *per_node;
	bool world = w->recovery || w->ordered ||
		     (w->device_mode && plan->job->dealt);

	if (p->added || (!w->device_mode && !world))
		return 0;
	per_node = w->device_mode
			   ? plan_procs_by_task(plan, by_task, sizeof(by_task))
			   : plan->job->tasks;
	if (view_of_process(plan, p, per_node, set, err) < 0)
		return -1;
	return world ? view_of_nodes(plan, p, per_node, set, err) : 0;
}

/* --- all of them --- */

static int framework_env(const struct plan *plan, const struct process *process,
			 struct envset *set, struct err *err)
{
	const struct framework *fw = plan->request->framework;
	int (*env)(const struct plan *plan, const struct process *process,
		   struct envset *set, struct err *err) =
		plan->resolved.run_first ? fw->env_first : fw->env;

	if (plan->resolved.needs & NEEDS_HOST_FILE &&
	    plan_launcher_env(plan, set, err) < 0)
		return -1;
	if (plan->start_command && process->added)
		return 0; /* a script that starts the processes isn't one of
			     them */
	return env ? env(plan, process, set, err) : 0;
}

/* Called after the framework: if both set a name, the dialect's value is
 * used. */
static int dialect_env(const struct plan *plan, const struct process *process,
		       struct envset *set, struct err *err)
{
	const struct dialect_form *form = plan->request->form;

	return form && form->env ? form->env(plan, process, set, err) : 0;
}

/* The world that the process is part of, and the framework's names for it:
 * `plan` and `process` as seen from there. */
static int world_env(const struct plan *plan, const struct process *process,
		     const struct plan *step, const struct process *in_step,
		     struct envset *set, struct err *err)
{
	if (neutral(plan, process, set, err) < 0 ||
	    peers_env(step, in_step, set, err) < 0)
		return -1;
	return framework_env(plan, process, set, err);
}

/* With replica groups that is the group's; a service serves all of them. */
static int own_world_env(const struct plan *plan, const struct process *process,
			 struct envset *set, struct err *err)
{
	struct process in_group;
	struct plan group;

	if (!plan->nreplicas || process->added)
		return world_env(plan, process, plan, process, set, err);
	world_view(plan, process, &group, &in_group);
	return world_env(&group, &in_group, plan, process, set, err);
}

int process_env(const struct plan *plan, const struct process *process,
		struct envset *set, struct err *err)
{
	const struct process_devices *d = &process->devices;

	if (own_world_env(plan, process, set, err) < 0 ||
	    dialect_env(plan, process, set, err) < 0 ||
	    interfaces(plan, set, err) < 0 ||
	    threads(plan, process, set, err) < 0 ||
	    error_file(plan, process, set, err) < 0 ||
	    last_words(plan, process, set, err) < 0 ||
	    end_time(plan, process, set, err) < 0 ||
	    (plan->ras_port && !process->added &&
	     recorder_env(plan->files.recorders, plan->resolved.npu,
			  plan->ras_port, set, err) < 0) ||
	    metrics(plan, process, set, err) < 0 ||
	    profile_add(plan, set, err) < 0)
		return -1;
	if (d->variable &&
	    envset_add(set, visible_kind(plan, d), visible_source(plan, d), err,
		       d->variable, "%s", d->visible) < 0)
		return -1;
	return slurm_view(plan, process, set, err);
}

int process_args(const struct plan *plan, const struct process *process,
		 struct argset *args, struct err *err)
{
	const struct dialect_form *form = plan->request->form;
	const struct framework *fw = plan->request->framework;

	if (fw->args && !plan->resolved.run_first &&
	    fw->args(plan, process, args, err) < 0)
		return -1;
	if (!form || !form->args)
		return 0;
	return form->args(plan, process, args, err);
}
