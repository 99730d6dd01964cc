/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MindSpore's dynamic cluster, without msrun: init() of the user's program
 * meets a scheduler, which is the same program in another role, on rank 0's
 * node. Names: MindSpore's tutorial "Dynamic Cluster Startup", and
 * mindspore/parallel/cluster/process_entity of its Python package for what
 * msrun sets.
 */
#include "core/framework.h"

static bool mindspore_service(const struct plan *plan, struct service *ret)
{
	*ret = (struct service){
		.role = ROLE_SCHEDULER,
		.here = plan->first_rank == 0,
	};
	return true;
}

static int mindspore_env(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (envset_add(set, ENV_OURS, "plan", err, "MS_ROLE",
		       p->added ? "MS_SCHED" : "MS_WORKER") < 0 ||
	    envset_add(set, ENV_FACT, "plan", err, "MS_WORKER_NUM", "%u",
		       plan->world_size) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, "MS_SCHED_HOST",
		       "%s", c->addr) < 0 ||
	    envset_add(set, ENV_FACT, coordinator_port_source(c), err,
		       "MS_SCHED_PORT", "%u", c->port) < 0)
		return -1;
	/* The scheduler is none of the numbered. */
	return p->added ? envset_unset(set, ENV_OURS, "plan", err, "MS_NODE_ID")
			: envset_add(set, ENV_FACT, "plan", err, "MS_NODE_ID",
				     "%u", p->rank);
}

const struct framework framework_mindspore = {
	.name = "mindspore",
	.summary = "MindSpore's dynamic cluster with its scheduler, without "
		   "msrun",
	.tested = "MindSpore 2.10.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.role = ROLE_WORKER,
	.env = mindspore_env,
	.service = mindspore_service,
};
