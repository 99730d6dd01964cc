/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torchrun without arguments, one per node: each of its options may come from
 * PET_<OPTION> (torch/distributed/argparse_util.py). The static rendezvous
 * keeps Slurm's node order; RANK is torchrun's to set, never ours. Its agents
 * tell each other how many workers each has, so that nodes may differ.
 */
#include "core/plan/framework.h"

#include "core/plan/plan.h"
#include "core/plan/procmap.h"

static const char nproc_source[] = "devices of the node, or key procs";

/* What commands read that start torchrun themselves with its options: LLaMA-
 * Factory (src/llamafactory/launcher.py), which does so by itself only where
 * it sees several devices, and ms-swift (swift/cli/main.py). torchrun takes
 * none of them; its workers get its own MASTER_ADDR and MASTER_PORT. */
static int wrapper_names(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const struct env_row rows[] = {
		{ENV_HINT, "NNODES", "SLURM_STEP_NUM_NODES", .n = plan->nnodes},
		{ENV_HINT, "NODE_RANK", "SLURM_PROCID", .n = p->rank},
		{ENV_HINT, "NPROC_PER_NODE", nproc_source,
		 .n = hostfile_own_slots(plan)},
		{ENV_HINT, "MASTER_ADDR", c->addr_source, .text = c->addr},
		{ENV_HINT, "MASTER_PORT", coordinator_port_source(c),
		 .n = c->port},
		{ENV_HINT, "FORCE_TORCHRUN", "LLaMA-Factory is to use torchrun",
		 .n = 1},
	};

	return ENVSET_ADD(set, rows, err);
}

static int torchrun_env(const struct plan *plan, const struct process *p,
			struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const struct env_row rows[] = {
		{ENV_FACT, "PET_NNODES", "SLURM_STEP_NUM_NODES",
		 .n = plan->nnodes},
		{ENV_HINT, "PET_NPROC_PER_NODE", nproc_source,
		 .n = hostfile_own_slots(plan)},
		{ENV_WORLD, "PET_NODE_RANK", "SLURM_PROCID", .n = p->rank},
		{ENV_FACT, "PET_MASTER_ADDR", c->addr_source, .text = c->addr},
		{ENV_FACT, "PET_MASTER_PORT", coordinator_port_source(c),
		 .n = c->port},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
		return -1;
	/* Its workers are started with SIGTERM as it has it itself: with a
	 * handler there they would die of Slurm's, before they have saved */
	if (plan->resolved.end_signal.number &&
	    envset_add(set, ENV_HINT, "end-signal: workers outlive SIGTERM",
		       err, "PET_SIGNALS_TO_HANDLE",
		       "SIGINT,SIGHUP,SIGQUIT") < 0)
		return -1;
	return wrapper_names(plan, p, set, err);
}

const struct framework framework_torchrun = {
	.name = "torchrun",
	.summary = "torchrun without arguments: one per node, which starts the "
		   "workers",
	.tested = "torchrun of PyTorch 1.13.1 and 2.15.0, Gloo",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.role = ROLE_LAUNCHER,
	.launches = true,
	.env = torchrun_env,
};
