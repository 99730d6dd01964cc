/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of one process: the neutral DIST_TRAIN_* names, Slurm's
 * own variables rewritten for a process that the launcher starts, the
 * framework's, the network interface, the number of threads, what makes a
 * process that hangs speak, the dialect's and the administrator's profile, in
 * this order.
 */
#include "core/env/process_env.h"

#include "core/facts/handover.h"
#include "core/facts/metrics_words.h"
#include "core/facts/share_cores.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"
#include "core/plan/hostfile.h"
#include "core/plan/nic.h"
#include "core/plan/plan.h"
#include "core/plan/world.h"

#include <stdio.h>

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
		{ENV_OURS, "DIST_TRAIN_ROLE", src, .text = role_name(p->role)},
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
		 .n = plan->job->round},
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

static int framework_env(const struct plan *plan, const struct process *process,
			 struct envset *set, struct err *err)
{
	const struct framework *fw = plan->request->framework;

	if (plan->resolved.needs & NEEDS_HOST_FILE &&
	    plan_launcher_env(plan, set, err) < 0)
		return -1;
	if (plan->start_command && process->added)
		return 0; /* a script that starts the processes isn't one of
			     them */
	if (!plan->resolved.run_first)
		return fw->env(plan, process, set, err);
	return fw->env_first ? fw->env_first(plan, process, set, err) : 0;
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
