/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MindSpore's dynamic cluster, without msrun: init() of the user's program
 * meets a scheduler, which is the same program in another role, on rank 0's
 * node. On Ascend NPUs HCCL takes its groups from a rank table, or (table=none)
 * from what the scheduler tells. Names: MindSpore's tutorial "Dynamic Cluster
 * Startup", mindspore/parallel/cluster/process_entity of its Python package for
 * what msrun sets, and AssignLocalRank() of its collective_manager.cc.
 */
#include "frameworks/ascend.h"

static bool mindspore_service(const struct plan *plan, struct service *ret)
{
	*ret = (struct service){
		.role = ROLE_SCHEDULER,
		.here = plan->first_rank == 0,
	};
	return true;
}

static int mindspore_check(const struct plan *plan, struct err *err)
{
	if (request_word(plan->request, KEY_ADDR) == ADDR_NAME)
		return err_printf(err, "addr=name: mindspore needs the IP "
				       "address of its scheduler; use addr=ip");
	if (plan->resolved.table_version == TABLE_2_0)
		return err_printf(
			err, "table=2.0: this version describes links that "
			     "only the driver of an A5 knows; mindspore works "
			     "without a table: use table=none");
	return plan->resolved.npu && !plan->resolved.table
		       ? ascend_check_numbers(plan, err)
		       : 0;
}

/* With a rank table MindSpore opens device DEVICE_ID among those that it sees.
 * Without one it opens the device whose index is its local rank, and sets
 * DEVICE_ID to that. Neither is the device's number in /dev. */
static int mindspore_npu(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	if (ascend_common_env(plan, p, set, err) < 0 ||
	    envset_add(set, ENV_FACT, "among the devices that it sees", err,
		       "DEVICE_ID", "%u", ascend_device_seen(p)) < 0)
		return -1;
	return plan->resolved.table ? ascend_table_env(plan, p, set, err)
				    : ascend_no_table_env(set, err);
}

static int mindspore_env(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (envset_add(set, ENV_OURS, "computed", err, "MS_ROLE",
		       p->added ? "MS_SCHED" : "MS_WORKER") < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "MS_WORKER_NUM", "%u",
		       plan->world_size) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, "MS_SCHED_HOST",
		       "%s", c->addr) < 0 ||
	    envset_add(set, ENV_FACT, coordinator_port_source(c), err,
		       "MS_SCHED_PORT", "%u", c->port) < 0)
		return -1;
	/* the scheduler has no rank */
	if (p->added)
		return envset_unset(set, ENV_OURS, "computed", err,
				    "MS_NODE_ID");
	if (envset_add(set, ENV_FACT, "computed", err, "MS_NODE_ID", "%u",
		       p->rank) < 0)
		return -1;
	return plan->resolved.npu ? mindspore_npu(plan, p, set, err) : 0;
}

const struct framework framework_mindspore = {
	.name = "mindspore",
	.summary = "MindSpore's dynamic cluster with its scheduler, without "
		   "msrun",
	.tested = "MindSpore 2.10.0 on CPUs; a simulated NPU driver",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_NPU_ADDRESSES,
	.npu_too = true,
	.keys = KEYS_OF_NPUS | KEYS_OF_LOCAL_RANK,
	.role = ROLE_WORKER,
	.check = mindspore_check,
	.env = mindspore_env,
	.service = mindspore_service,
};
