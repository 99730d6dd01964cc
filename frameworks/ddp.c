/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch with init_method env://, as init_process_group() has it by default.
 * Names: torch/distributed/rendezvous.py (_env_rendezvous_handler) and, for
 * those that programs read besides, torch/distributed/run.py.
 */
#include "frameworks/ddp.h"

/* The number of restarts, under torchrun's names; only with the key
 * restarts. */
static int restarts(const struct plan *plan, struct envset *set,
		    struct err *err)
{
	long max = request_number(plan->request, KEY_RESTARTS);

	if (!max)
		return 0;
	if (envset_add(set, ENV_FACT, "restarts in place", err,
		       "TORCHELASTIC_RESTART_COUNT", "%u",
		       plan->job->round) < 0)
		return -1;
	return envset_add(set, ENV_FACT, "key restarts", err,
			  "TORCHELASTIC_MAX_RESTARTS", "%ld", max);
}

int ddp_env(const struct plan *plan, const struct process *p,
	    struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const char *rank_source =
		plan->resolved.device_mode ? "computed" : "SLURM_PROCID";

	if (envset_add(set, ENV_FACT, rank_source, err, "RANK", "%u", p->rank) <
		    0 ||
	    envset_add(set, ENV_FACT, "computed", err, "WORLD_SIZE", "%u",
		       plan->world_size) < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "LOCAL_RANK", "%u",
		       p->local_rank_shown) < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "LOCAL_WORLD_SIZE", "%u",
		       plan->nodes_procs) < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "GROUP_RANK", "%u",
		       plan->node_rank) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, "MASTER_ADDR", "%s",
		       c->addr) < 0 ||
	    restarts(plan, set, err) < 0)
		return -1;
	return envset_add(set, ENV_FACT, coordinator_port_source(c), err,
			  "MASTER_PORT", "%u", c->port);
}

const struct framework framework_ddp = {
	.name = "ddp",
	.alias = "pytorch",
	.summary = "PyTorch DistributedDataParallel and everything else that "
		   "uses init_method env://",
	.tested = "PyTorch 1.13.1 over Gloo",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_ERROR_FILE,
	.keys = KEYS_OF_LOCAL_RANK,
	.role = ROLE_WORKER,
	.local_rank = true,
	.env = ddp_env,
};
