/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch with init_method env://, as init_process_group() has it by default.
 * Names: torch/distributed/rendezvous.py (_env_rendezvous_handler) and, for
 * those that programs read besides, torch/distributed/run.py.
 */
#include "frameworks/shared.h"

/* The number of restarts, which programs read to know whether to resume. */
static int restarts(const struct plan *plan, struct envset *set,
		    struct err *err)
{
	if (envset_add(set, ENV_FACT, "restarts in place", err,
		       "TORCHELASTIC_RESTART_COUNT", "%u",
		       plan->job->round) < 0)
		return -1;
	return envset_add(set, ENV_FACT, "key restarts", err,
			  "TORCHELASTIC_MAX_RESTARTS", "%ld",
			  request_number(plan->request, KEY_RESTARTS));
}

/* What torchrun's workers have besides (_start_workers() in
 * elastic/agent/server/local_elastic_agent.py; all of them have one role).
 * TORCHELASTIC_RUN_ID isn't among them: by that name programs know torchrun's
 * agent, and take another way. */
static int agent_names(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	if (envset_add(set, ENV_HINT, "SLURM_STEP_NUM_NODES", err,
		       "GROUP_WORLD_SIZE", "%u", plan->nnodes) < 0 ||
	    envset_add(set, ENV_HINT, "computed", err, "ROLE_RANK", "%u",
		       p->rank) < 0 ||
	    envset_add(set, ENV_HINT, "computed", err, "ROLE_WORLD_SIZE", "%u",
		       plan->world_size) < 0)
		return -1;
	if (envset_add(set, ENV_HINT, "torchrun's default", err, "ROLE_NAME",
		       "default") < 0)
		return -1;
	return envset_add(set, ENV_HINT, "torchrun's default", err,
			  "TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
}

/* What libraries read that torchrun doesn't give: Composer's get_node_rank()
 * (composer/utils/dist.py) and Lightning's LightningEnvironment; and, of
 * Slurm's, what Lightning's SLURMEnvironment demands wherever there are several
 * tasks, though srun sets it for --ntasks-per-node alone. */
static int library_names(const struct plan *plan, struct envset *set,
			 struct err *err)
{
	if (envset_add(set, ENV_HINT, "computed", err, "NODE_RANK", "%u",
		       plan->node_rank) < 0)
		return -1;
	if (!plan->uniform)
		return 0;
	return envset_add(set, ENV_HINT, "all nodes have as many", err,
			  "SLURM_NTASKS_PER_NODE", "%u", plan->nodes_procs);
}

int ddp_env(const struct plan *plan, const struct process *p,
	    struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (envset_add(set, ENV_WORLD, plan_rank_source(plan), err, "RANK",
		       "%u", p->rank) < 0 ||
	    envset_add(set, ENV_WORLD, "computed", err, "WORLD_SIZE", "%u",
		       plan->world_size) < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "LOCAL_RANK", "%u",
		       p->local_rank_shown) < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "LOCAL_WORLD_SIZE", "%u",
		       plan->nodes_procs) < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "GROUP_RANK", "%u",
		       plan->node_rank) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, "MASTER_ADDR", "%s",
		       c->addr) < 0 ||
	    envset_add(set, ENV_FACT, coordinator_port_source(c), err,
		       "MASTER_PORT", "%u", c->port) < 0)
		return -1;
	if (plan->resolved.launches)
		return 0; /* its workers get the others from the program */
	if (agent_names(plan, p, set, err) < 0 || restarts(plan, set, err) < 0)
		return -1;
	return library_names(plan, set, err);
}

const struct framework framework_ddp = {
	.name = "ddp",
	.summary = "PyTorch DistributedDataParallel and everything else that "
		   "uses init_method env://",
	.tested = "PyTorch 1.13.1 and 2.15.0 over Gloo",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_ERROR_FILE,
	.role = ROLE_WORKER,
	.local_rank = true,
	.env = ddp_env,
};
