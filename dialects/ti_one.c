/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tencent's TI-ONE, whose training modes start the user's command: DDP and MPI
 * on each node, Horovod and Ray on the first one alone, PS-Worker once per
 * role. All addresses are numbers there. RANK and WORLD_SIZE count nodes.
 */
#include "core/plan/dialect.h"

#include "core/plan/procmap.h"

#include <stdlib.h>

static const char src[] = "dialect ti-one";

/* Of the framework, and true of workers only: the command starts them. */
static const char *const workers_own[] = {"LOCAL_RANK", "LOCAL_WORLD_SIZE",
					  "GROUP_RANK", NULL};

static int add_text(char *text, const char *name, struct envset *set,
		    struct err *err)
{
	cleanup_free char *owned = text;

	if (!text)
		return -1;
	return envset_add(set, ENV_FACT, src, err, name, "%s", owned);
}

static int add_nodes(const struct plan *plan, const struct hostfile *nodes,
		     struct envset *set, struct err *err)
{
	const struct env_row rows[] = {
		{ENV_FACT, "INDEX", src, .n = plan->node_rank},
		{ENV_FACT, "GPU_NUM", src, .n = nodes->total},
		{ENV_FACT, "GPU_NUM_PER_NODE", src,
		 .n = hostfile_own_slots(plan)},
	};

	/* "HOST:GPUS,..." */
	if (add_text(hostfile_text(nodes, ":", ",", err), "NODE_LIST", set,
		     err) < 0)
		return -1;
	return ENVSET_ADD(set, rows, err);
}

static int with_nodes(const struct plan *plan, bool slots, struct envset *set,
		      struct err *err)
{
	cleanup_hostfile struct hostfile nodes = {0};

	if (hostfile_find(plan, &nodes, err) < 0 ||
	    add_nodes(plan, &nodes, set, err) < 0)
		return -1;
	return slots ? add_text(hostfile_text(&nodes, ":", ",", err),
				"NODE_IP_SLOT_LIST", set, err)
		     : 0;
}

static int ddp(const struct plan *plan, const struct process *p,
	       struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const struct env_row rows[] = {
		{ENV_FACT, "MASTER_ADDR", c->addr_source, .text = c->addr},
		{ENV_FACT, "MASTER_PORT", coordinator_port_source(c),
		 .n = c->port},
		{ENV_WORLD, "WORLD_SIZE", "dialect ti-one: nodes",
		 .n = plan->nnodes},
		{ENV_WORLD, "RANK", "dialect ti-one: of the node",
		 .n = plan->node_rank},
	};

	(void)p;
	if (with_nodes(plan, false, set, err) < 0 ||
	    ENVSET_ADD(set, rows, err) < 0)
		return -1;
	return envset_unset_all(set, ENV_FACT, "the command sets it itself",
				err, workers_own);
}

/* The host file's variable is set with all others of mpirun. */
static int mpi(const struct plan *plan, const struct process *p,
	       struct envset *set, struct err *err)
{
	(void)p;
	return with_nodes(plan, true, set, err);
}

/* For the actors of all nodes too: their node's service gets it. */
static int ray(const struct plan *plan, const struct process *p,
	       struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const struct env_row rows[] = {
		{ENV_FACT, "HEAD_ADDR", c->addr_source, .text = c->addr},
		{ENV_FACT, "HEAD_PORT", coordinator_port_source(c),
		 .n = c->port},
		{ENV_WORLD, "RANK", "dialect ti-one: of the node",
		 .n = plan->node_rank},
	};

	(void)p;
	return with_nodes(plan, false, set, err) < 0
		       ? -1
		       : ENVSET_ADD(set, rows, err);
}

/* TF_CONFIG, and what all training tasks have. */
static int ps_worker(const struct plan *plan, const struct process *p,
		     struct envset *set, struct err *err)
{
	(void)p;
	return with_nodes(plan, false, set, err);
}

#define NEEDS (NEEDS_TASKMAP | NEEDS_ADDRESSES | NEEDS_COUNTS)

static const struct dialect_form forms[] = {
	{.framework = "ddp",
	 .platform = "TI-ONE's DDP",
	 .needs = NEEDS,
	 .launches = true,
	 .env = ddp},
	{.framework = "mpi",
	 .platform = "TI-ONE's MPI",
	 .needs = NEEDS | NEEDS_HOST_FILE,
	 .launches = true,
	 .env = mpi},
	{.framework = "horovod",
	 .platform = "TI-ONE's Horovod",
	 .needs = NEEDS | NEEDS_HOST_FILE,
	 .launches = true,
	 .first_node = true,
	 .env = mpi},
	{.framework = "ray",
	 .platform = "TI-ONE's Ray",
	 .needs = NEEDS,
	 .ray_resource = "Rank:",
	 .env = ray},
	{.framework = "tf-ps",
	 .platform = "TI-ONE's PS-Worker",
	 .needs = NEEDS,
	 .tf_environment = "cloud",
	 .env = ps_worker},
	{0},
};

const struct dialect dialect_ti_one = {
	.name = "ti-one",
	.summary = "Tencent's TI-ONE: DDP, MPI, Horovod, Ray, PS-Worker",
	.form = forms,
};
