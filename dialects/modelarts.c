/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Huawei's ModelArts. Its preset images start the start file: for Ascend once
 * per device with the variables of the rank table, PyTorch-GPU once per node
 * with --init_method and the node's rank, TensorFlow-GPU once per role with
 * the lists of ps and workers, the MPI kinds as ranks of the platform's mpirun.
 * A start command of the user's own runs once per node; most call torchrun with
 * what the variables say.
 *
 * Names: "Managing Environment Variables of a Training Container" of ModelArts'
 * user guide, table 2.
 */
#include "core/plan/dialect.h"

#include "core/base/ip.h"
#include "core/plan/procmap.h"

#include <stdio.h>
#include <stdlib.h>

static const char src[] = "dialect modelarts";

static int own_address(const struct plan *plan, struct envset *set,
		       struct err *err)
{
	unsigned node = plan->job->nodeid;
	cleanup_hosts char **hosts = NULL;

	if (procmap_check_facts(plan, err) < 0)
		return -1;
	if (node >= plan->nnodes)
		return err_printf(err, "node %u of %u nodes", node,
				  plan->nnodes);
	hosts = procmap_hosts(plan, err);
	if (!hosts)
		return -1;
	return envset_add(set, ENV_FACT, "address of this node", err,
			  "MA_CURRENT_IP", "%s", hosts[node]);
}

/* What every kind of container has: it is the index-th of those with its
 * name. */
static int common(const struct plan *plan, const char *name, unsigned index,
		  struct envset *set, struct err *err)
{
	const struct job *job = plan->job;
	const struct env_row rows[] = {
		{ENV_FACT, "MA_TASK_NAME", src, .text = name},
		{ENV_FACT, "MA_TASK_INDEX", src, .n = index},
		{ENV_FACT, "VC_TASK_INDEX", src, .n = index},
		{ENV_FACT, "MA_NUM_HOSTS", src, .n = plan->nnodes},
		{ENV_FACT, "VC_WORKER_NUM", src, .n = plan->nnodes},
	};

	if (envset_add(set, ENV_HINT, "job, step, requeues", err, "MA_VJ_NAME",
		       "%lu-%lu-%u", job->job_id, job->step_id,
		       job->restart) < 0 ||
	    ENVSET_ADD(set, rows, err) < 0 || own_address(plan, set, err) < 0)
		return -1;
	return envset_add(set, ENV_FACT, "devices allocated by Slurm", err,
			  "MA_NUM_GPUS", "%u", device_count(&job->devices));
}

static int worker_hosts(const struct plan *plan, struct envset *set,
			struct err *err)
{
	cleanup_hostfile struct hostfile nodes = {0};
	cleanup_free char *text = NULL;

	if (hostfile_find(plan, &nodes, err) < 0)
		return -1;
	text = hostfile_text(&nodes, NULL, ",", err);
	return text ? envset_add(set, ENV_FACT, src, err, "VC_WORKER_HOSTS",
				 "%s", text)
		    : -1;
}

static int by_nodes(const struct plan *plan, const struct process *p,
		    struct envset *set, struct err *err)
{
	(void)p;
	if (common(plan, "worker", plan->node_rank, set, err) < 0)
		return -1;
	return worker_hosts(plan, set, err);
}

/* ModelArts gives no MASTER_ADDR. Many start commands take it if it is there,
 * and else a name in the platform's DNS that exists on no other cluster. */
static int start_command(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (by_nodes(plan, p, set, err) < 0 ||
	    envset_add(set, ENV_HINT, c->addr_source, err, "MASTER_ADDR", "%s",
		       c->addr) < 0)
		return -1;
	return envset_add(set, ENV_HINT, coordinator_port_source(c), err,
			  "MASTER_PORT", "%u", c->port);
}

/* On one node the file makes its own ranks from the devices. */
static int pytorch_args(const struct plan *plan, const struct process *p,
			struct argset *args, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	char endpoint[ENDPOINT_SIZE];

	(void)p;
	endpoint_format(c->addr, c->port, endpoint);
	if (argset_add(args, err, "--init_method") < 0 ||
	    argset_add(args, err, "tcp://%s", endpoint) < 0)
		return -1;
	if (plan->nnodes == 1)
		return 0;
	if (argset_add(args, err, "--rank") < 0 ||
	    argset_add(args, err, "%u", plan->node_rank) < 0 ||
	    argset_add(args, err, "--world_size") < 0)
		return -1;
	return argset_add(args, err, "%u", plan->nnodes);
}

/* The two lists of "HOST:PORT,...", for the caller to free. */
struct tensorflow_hosts {
	char *ps, *workers;
};

static void free_hosts(struct tensorflow_hosts *h)
{
	free(h->ps);
	free(h->workers);
}
#define cleanup_lists __attribute__((cleanup(free_hosts)))

static char *hosts_of(const struct plan *plan, const struct procmap *map,
		      enum role role, struct err *err)
{
	const struct procmap_choice all = {role, 0, plan->world_size, true};
	unsigned n;

	return procmap_text(plan, map, &all, &n, err);
}

static int find_hosts(const struct plan *plan, struct tensorflow_hosts *ret,
		      struct err *err)
{
	cleanup_procmap struct procmap map;

	if (procmap_find(plan, &map, err) < 0)
		return -1;
	ret->ps = hosts_of(plan, &map, ROLE_PS, err);
	ret->workers = hosts_of(plan, &map, ROLE_WORKER, err);
	return ret->ps && ret->workers ? 0 : -1;
}

static int add_pair(struct argset *args, struct err *err, const char *option,
		    const char *value)
{
	if (argset_add(args, err, "%s", option) < 0)
		return -1;
	return argset_add(args, err, "%s", value);
}

/* Two words each, as there: a parser by hand may know no other form. */
static int tensorflow_args(const struct plan *plan, const struct process *p,
			   struct argset *args, struct err *err)
{
	cleanup_lists struct tensorflow_hosts h = {NULL, NULL};
	char index[16];

	snprintf(index, sizeof(index), "%u", p->role_index);
	if (find_hosts(plan, &h, err) < 0 ||
	    add_pair(args, err, "--task_index", index) < 0 ||
	    add_pair(args, err, "--ps_hosts", h.ps) < 0 ||
	    add_pair(args, err, "--worker_hosts", h.workers) < 0)
		return -1;
	return add_pair(args, err, "--job_name", role_name(p->role));
}

static int tensorflow(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	cleanup_lists struct tensorflow_hosts h = {NULL, NULL};

	if (common(plan, role_name(p->role), p->role_index, set, err) < 0 ||
	    find_hosts(plan, &h, err) < 0 ||
	    envset_add(set, ENV_FACT, src, err, "TF_PS_HOSTS", "%s", h.ps) < 0)
		return -1;
	return envset_add(set, ENV_FACT, src, err, "TF_WORKER_HOSTS", "%s",
			  h.workers);
}

static const struct dialect_form forms[] = {
	{.framework = "ascend",
	 .platform = "ModelArts' Ascend-Powered-Engine",
	 .needs = NEEDS_TASKMAP | NEEDS_ADDRESSES,
	 .procs = PROCS_DEVICE,
	 .env = by_nodes},
	{.framework = "ddp",
	 .platform = "ModelArts' PyTorch-GPU",
	 .needs = NEEDS_TASKMAP | NEEDS_ADDRESSES,
	 .launches = true,
	 .env = by_nodes,
	 .args = pytorch_args},
	{.framework = "torchrun",
	 .platform = "ModelArts' custom start command",
	 .needs = NEEDS_TASKMAP | NEEDS_ADDRESSES,
	 .env = start_command},
	{.framework = "tf-ps",
	 .platform = "ModelArts' TensorFlow-GPU",
	 .needs = NEEDS_ADDRESSES,
	 .env = tensorflow,
	 .args = tensorflow_args},
	{.framework = "mpi",
	 .platform = "ModelArts' MPI",
	 .needs = NEEDS_TASKMAP | NEEDS_ADDRESSES,
	 .procs = PROCS_TASK,
	 .env = by_nodes},
	{.framework = "horovod",
	 .platform = "ModelArts' Horovod",
	 .needs = NEEDS_TASKMAP | NEEDS_ADDRESSES,
	 .procs = PROCS_TASK,
	 .env = by_nodes},
	{0},
};

const struct dialect dialect_modelarts = {
	.name = "modelarts",
	.summary = "Huawei's ModelArts: Ascend-Powered-Engine, PyTorch-GPU, "
		   "TensorFlow-GPU, Horovod/MPI, start commands with torchrun",
	.start_script = "run_mpi.sh",
	.form = forms,
};
