/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MindSpore's dynamic cluster, without msrun: init() of the user's program
 * meets a scheduler, which is the same program in another role, on rank 0's
 * node. On Ascend NPUs HCCL takes its groups from a rank table, or (table=none)
 * from what the scheduler tells. Names: MindSpore's tutorial "Dynamic Cluster
 * Startup", mindspore/parallel/cluster/process_entity/_api.py of its Python
 * package for what msrun sets, mindspore/communication/_comm_helper.py for what
 * get_rank() and the like read before init(), and AssignLocalRank() of its
 * collective_manager.cc.
 */
#include "frameworks/shared.h"

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

/* msrun gives RANK_ID and RANK_SIZE with and without a rank table, and
 * MindSpore sets them itself in init(). Its scheduler has RANK_ID 0. */
static int mindspore_ranks(unsigned rank, const struct plan *plan,
			   struct envset *set, struct err *err)
{
	const struct env_row rows[] = {
		{ENV_WORLD, "RANK_ID", "computed", .n = rank},
		{ENV_WORLD, "RANK_SIZE", "computed", .n = plan->world_size},
	};

	return ENVSET_ADD(set, rows, err);
}

/* msrun's DEVICE_ID is the process's number on its node. Here it is the index
 * of its device among those that it sees, because that is how MindSpore reads
 * it with a rank table. Without a table MindSpore opens the device whose index
 * is its local rank, and sets DEVICE_ID to that. */
static int mindspore_device(const struct process *p, struct envset *set,
			    struct err *err)
{
	if (!p->devices.own.n)
		return envset_add(set, ENV_FACT, "computed", err, "DEVICE_ID",
				  "%u", p->local_rank);
	return envset_add(set, ENV_FACT, "among the devices that it sees", err,
			  "DEVICE_ID", "%u", ascend_device_seen(p));
}

static int mindspore_npu(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	if (ascend_common_env(plan, p, set, err) < 0)
		return -1;
	return plan->resolved.table
		       ? ascend_table_env(plan, p, set, err)
		       : envset_unset(set, ENV_STEPS, "no rank table is used",
				      err, "RANK_TABLE_FILE");
}

/* What get_local_rank() and get_local_rank_size() say before init(), the rank
 * under the name that most programs know, and MindSpore's own. */
static int mindspore_place(const struct plan *plan, const struct process *p,
			   struct envset *set, struct err *err)
{
	const struct env_row rows[] = {
		{ENV_WORLD, "RANK", "computed", .n = p->rank},
		{ENV_FACT, "LOCAL_RANK", "computed", .n = p->local_rank_shown},
		{ENV_FACT, "LOCAL_RANK_SIZE", "computed",
		 .n = plan->nodes_procs},
		{ENV_WORLD, "MS_NODE_ID", "computed", .n = p->rank},
	};

	return ENVSET_ADD(set, rows, err);
}

static int mindspore_worker(const struct plan *plan, const struct process *p,
			    struct envset *set, struct err *err)
{
	if ((plan->resolved.npu && mindspore_npu(plan, p, set, err) < 0) ||
	    mindspore_ranks(p->rank, plan, set, err) < 0 ||
	    mindspore_device(p, set, err) < 0)
		return -1;
	return mindspore_place(plan, p, set, err);
}

/* The same program as the workers, which may read these before init() */
static int mindspore_scheduler(const struct plan *plan, struct envset *set,
			       struct err *err)
{
	if (mindspore_ranks(0, plan, set, err) < 0 ||
	    (plan->resolved.npu &&
	     envset_unset(set, ENV_STEPS, "the workers' alone", err,
			  "RANK_TABLE_FILE") < 0))
		return -1;
	return envset_unset(set, ENV_OURS, "computed", err, "MS_NODE_ID");
}

static int mindspore_env(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const struct env_row rows[] = {
		{ENV_OURS, "MS_ROLE", "computed",
		 .text = p->added ? "MS_SCHED" : "MS_WORKER"},
		{ENV_WORLD, "MS_WORKER_NUM", "computed", .n = plan->world_size},
		{ENV_FACT, "MS_SCHED_HOST", c->addr_source, .text = c->addr},
		{ENV_FACT, "MS_SCHED_PORT", coordinator_port_source(c),
		 .n = c->port},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
		return -1;
	return p->added ? mindspore_scheduler(plan, set, err)
			: mindspore_worker(plan, p, set, err);
}

const struct framework framework_mindspore = {
	.name = "mindspore",
	.summary = "MindSpore's dynamic cluster with its scheduler, without "
		   "msrun",
	.tested = "MindSpore 2.10.0 on CPUs; a simulated NPU driver",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_NPU_ADDRESSES,
	.npu_too = true,
	.sorts_servers = true,
	.role = ROLE_WORKER,
	.check = mindspore_check,
	.env = mindspore_env,
	.service = mindspore_service,
};
