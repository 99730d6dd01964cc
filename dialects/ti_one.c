/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tencent's TI-ONE, whose training modes start the user's command: DDP and MPI
 * on each node, Horovod and Ray on the first one alone, PS-Worker once per
 * role. All addresses are numbers there. RANK and WORLD_SIZE count nodes.
 */
#include "core/plan/dialect.h"

#include "core/base/cleanup.h"
#include "core/plan/hostfile.h"

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
	/* "HOST:GPUS,..." */
	if (add_text(hostfile_text(nodes, ":", ",", err), "NODE_LIST", set,
		     err) < 0 ||
	    envset_add(set, ENV_FACT, src, err, "INDEX", "%u",
		       plan->node_rank) < 0 ||
	    envset_add(set, ENV_FACT, src, err, "GPU_NUM", "%lu",
		       nodes->total) < 0)
		return -1;
	return envset_add(set, ENV_FACT, src, err, "GPU_NUM_PER_NODE", "%u",
			  hostfile_own_slots(plan));
}

static int with_nodes(const struct plan *plan, bool slots, struct envset *set,
		      struct err *err)
{
	struct hostfile nodes;
	int rc;

	if (hostfile_find(plan, &nodes, err) < 0)
		return -1;
	rc = add_nodes(plan, &nodes, set, err);
	if (rc == 0 && slots)
		rc = add_text(hostfile_text(&nodes, ":", ",", err),
			      "NODE_IP_SLOT_LIST", set, err);
	hostfile_clear(&nodes);
	return rc;
}

static int ddp(const struct plan *plan, const struct process *p,
	       struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	(void)p;
	if (with_nodes(plan, false, set, err) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, "MASTER_ADDR", "%s",
		       c->addr) < 0 ||
	    envset_add(set, ENV_FACT, coordinator_port_source(c), err,
		       "MASTER_PORT", "%u", c->port) < 0 ||
	    envset_add(set, ENV_WORLD, "dialect ti-one: nodes", err,
		       "WORLD_SIZE", "%u", plan->nnodes) < 0 ||
	    envset_add(set, ENV_WORLD, "dialect ti-one: of the node", err,
		       "RANK", "%u", plan->node_rank) < 0)
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

	(void)p;
	if (with_nodes(plan, false, set, err) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, "HEAD_ADDR", "%s",
		       c->addr) < 0 ||
	    envset_add(set, ENV_FACT, coordinator_port_source(c), err,
		       "HEAD_PORT", "%u", c->port) < 0)
		return -1;
	return envset_add(set, ENV_WORLD, "dialect ti-one: of the node", err,
			  "RANK", "%u", plan->node_rank);
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
