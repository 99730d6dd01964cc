/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch with init_method env://, as init_process_group() has it by default.
 * Names: torch/distributed/rendezvous.py (_env_rendezvous_handler) and, for
 * those that programs read besides, torch/distributed/run.py.
 */
#include "frameworks/shared.h"

/* What torchrun's workers have besides (_start_workers() in
 * elastic/agent/server/local_elastic_agent.py; all of them have one role), and
 * the number of restarts, which programs read to know whether to resume.
 * TORCHELASTIC_RUN_ID isn't among them: by that name programs know torchrun's
 * agent, and take another way. */
static int agent_names(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	unsigned long max =
		(unsigned long)request_number(plan->request, KEY_RESTARTS);
	static const char torchrun[] = "torchrun's default";
	const struct env_row rows[] = {
		{ENV_HINT, "GROUP_WORLD_SIZE", "SLURM_STEP_NUM_NODES",
		 .n = plan->nnodes},
		{ENV_HINT, "ROLE_RANK", "computed", .n = p->rank},
		{ENV_HINT, "ROLE_WORLD_SIZE", "computed",
		 .n = plan->world_size},
		{ENV_HINT, "ROLE_NAME", torchrun, .text = "default"},
		{ENV_HINT, "TORCH_NCCL_ASYNC_ERROR_HANDLING", torchrun, .n = 1},
		{ENV_FACT, "TORCHELASTIC_RESTART_COUNT", "restarts in place",
		 .n = plan->job->round},
		{ENV_FACT, "TORCHELASTIC_MAX_RESTARTS", "key restarts",
		 .n = max},
	};

	return ENVSET_ADD(set, rows, err);
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
	const struct env_row rows[] = {
		{ENV_WORLD, "RANK", plan_rank_source(plan), .n = p->rank},
		{ENV_WORLD, "WORLD_SIZE", "computed", .n = plan->world_size},
		{ENV_FACT, "LOCAL_RANK", "computed", .n = p->local_rank_shown},
		{ENV_FACT, "LOCAL_WORLD_SIZE", "computed",
		 .n = plan->nodes_procs},
		{ENV_FACT, "GROUP_RANK", "computed", .n = plan->node_rank},
		{ENV_FACT, "MASTER_ADDR", c->addr_source, .text = c->addr},
		{ENV_FACT, "MASTER_PORT", coordinator_port_source(c),
		 .n = c->port},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
		return -1;
	if (plan->resolved.launches)
		return 0; /* its workers get the others from the program */
	if (agent_names(plan, p, set, err) < 0)
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
