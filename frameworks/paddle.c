/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PaddlePaddle without its launcher: paddle.distributed.init_parallel_env()
 * (paddle/distributed/parallel.py) and the names that
 * paddle.distributed.launch gives to a process.
 */
#include "core/base/ip.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/procmap.h"

#include <string.h>

/* Refuse IPv6: Paddle splits ADDRESS:PORT at each colon. */
static int paddle_check(const struct plan *plan, struct err *err)
{
	if (!plan->coordinator.addr || !strchr(plan->coordinator.addr, ':'))
		return 0;
	return err_printf(err,
			  "paddle can't use rank 0's IPv6 address %s; "
			  "addr=name uses the node's name",
			  plan->coordinator.addr);
}

/* PADDLE_GLOBAL_... and PADDLE_LOCAL_RANK paddle.distributed.launch gives
 * besides its older ones (paddle/distributed/launch/controllers/collective.py).
 * Without them auto-parallel counts one node (auto_parallel/static/cluster.py).
 */
static int paddle_ranks(const struct plan *plan, const struct process *p,
			struct envset *set, struct err *err)
{
	static const char src[] = "computed";
	const struct env_row rows[] = {
		{ENV_WORLD, "PADDLE_TRAINER_ID", plan_rank_source(plan),
		 .n = p->rank},
		{ENV_WORLD, "PADDLE_TRAINERS_NUM", src, .n = plan->world_size},
		{ENV_FACT, "PADDLE_RANK_IN_NODE", src, .n = p->local_rank},
		{ENV_FACT, "PADDLE_LOCAL_SIZE", src, .n = plan->nodes_procs},
		{ENV_WORLD, "PADDLE_GLOBAL_RANK", src, .n = p->rank},
		{ENV_WORLD, "PADDLE_GLOBAL_SIZE", src, .n = plan->world_size},
		{ENV_FACT, "PADDLE_LOCAL_RANK", src, .n = p->local_rank},
		{ENV_FACT, "PADDLE_NNODES", "SLURM_STEP_NUM_NODES",
		 .n = plan->nnodes},
	};

	return ENVSET_ADD(set, rows, err);
}

static int add_endpoints(const struct plan *plan, const struct process *p,
			 const struct procmap *map, struct envset *set,
			 struct err *err)
{
	const struct procmap_choice all = {ROLE_WORKER, 0, plan->world_size,
					   true};
	const struct procmap_choice own = {ROLE_WORKER, p->rank, p->rank + 1,
					   true};
	cleanup_free char *list = NULL, *mine = NULL;
	unsigned n;

	list = procmap_text(plan, map, &all, &n, err);
	if (list)
		mine = procmap_text(plan, map, &own, &n, err);
	if (!mine ||
	    envset_add(set, ENV_FACT, "addresses of all processes", err,
		       "PADDLE_TRAINER_ENDPOINTS", "%s", list) < 0)
		return -1;
	return envset_add(set, ENV_FACT, "its own address among these", err,
			  "PADDLE_CURRENT_ENDPOINT", "%s", mine);
}

/* Each process's endpoint, where fleet, static graphs and parameter servers
 * listen. The first is rank 0's, where init_parallel_env() has its store. */
static int paddle_endpoints(const struct plan *plan, const struct process *p,
			    struct envset *set, struct err *err)
{
	cleanup_procmap struct procmap map;

	return procmap_find(plan, &map, err) < 0
		       ? -1
		       : add_endpoints(plan, p, &map, set, err);
}

static int paddle_addresses(const struct plan *plan, const struct process *p,
			    struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	char master[ENDPOINT_SIZE];
	const struct env_row rows[] = {
		{ENV_FACT, "MASTER_ADDR", c->addr_source, .text = c->addr},
		{ENV_FACT, "MASTER_PORT", coordinator_port_source(c),
		 .n = c->port},
		{ENV_FACT, "PADDLE_MASTER", c->addr_source,
		 .text = endpoint_format(c->addr, c->port, master)},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
		return -1;
	return paddle_endpoints(plan, p, set, err);
}

/* The index of the process's device among those that it sees. Without a device
 * the CPU backend is named, because Paddle doesn't choose it. */
static int paddle_device(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	const char *name = plan->job->devices.variable ? "FLAGS_selected_gpus"
						       : "FLAGS_selected_npus";

	if (!p->devices.own.n)
		return envset_add(set, ENV_HINT, "no devices", err,
				  "PADDLE_DISTRI_BACKEND", "gloo");
	return envset_add(set, ENV_FACT, "devices allocated by Slurm", err,
			  name, "%u", p->devices.own.id[0]);
}

static int paddle_env(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	if (paddle_ranks(plan, p, set, err) < 0 ||
	    paddle_addresses(plan, p, set, err) < 0)
		return -1;
	return paddle_device(plan, p, set, err);
}

const struct framework framework_paddle = {
	.name = "paddle",
	.summary = "PaddlePaddle's init_parallel_env() without its launcher",
	.tested = "PaddlePaddle 3.3.1 over Gloo",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PROCMAP,
	.role = ROLE_WORKER,
	.check = paddle_check,
	.env = paddle_env,
};
