/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torchrun without arguments, one per node: each of its options may come from
 * PET_<OPTION> (torch/distributed/argparse_util.py). The static rendezvous
 * keeps Slurm's node order; RANK is torchrun's to set, never ours.
 */
#include "core/plan/framework.h"

#include "core/base/runlength.h"
#include "core/plan/hostfile.h"
#include "core/plan/plan.h"

/* torchrun's static rendezvous has one --nproc-per-node for all nodes. */
static int torchrun_check(const struct plan *plan, struct err *err)
{
	int procs = request_word(plan->request, KEY_PROCS);
	bool told = procs == PROCS_N || procs == PROCS_TASK;
	struct runlength counts;

	if ((told && !plan->job->dealt) || !plan->job->procs ||
	    runlength_read(plan->job->procs, &counts) < 0 || counts.uniform)
		return 0;
	return err_printf(
		err,
		"torchrun starts the same number of workers on each node, but "
		"the step has %s devices per node; ask for equal nodes with "
		"--gpus-per-node=N, or use ddp, which accepts unequal ones",
		plan->job->procs);
}

/* What commands read that start torchrun themselves with its options: LLaMA-
 * Factory (src/llamafactory/launcher.py), which does so by itself only where
 * it sees several devices, and ms-swift (swift/cli/main.py). torchrun takes
 * none of them; its workers get its own MASTER_ADDR and MASTER_PORT. */
static int wrapper_names(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (envset_add(set, ENV_HINT, "SLURM_STEP_NUM_NODES", err, "NNODES",
		       "%u", plan->nnodes) < 0 ||
	    envset_add(set, ENV_HINT, "SLURM_PROCID", err, "NODE_RANK", "%u",
		       p->rank) < 0 ||
	    envset_add(set, ENV_HINT, "devices of the node, or key procs", err,
		       "NPROC_PER_NODE", "%u", hostfile_own_slots(plan)) < 0 ||
	    envset_add(set, ENV_HINT, c->addr_source, err, "MASTER_ADDR", "%s",
		       c->addr) < 0 ||
	    envset_add(set, ENV_HINT, coordinator_port_source(c), err,
		       "MASTER_PORT", "%u", c->port) < 0)
		return -1;
	return envset_add(set, ENV_HINT, "LLaMA-Factory is to use torchrun",
			  err, "FORCE_TORCHRUN", "1");
}

static int torchrun_env(const struct plan *plan, const struct process *p,
			struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (envset_add(set, ENV_FACT, "SLURM_STEP_NUM_NODES", err, "PET_NNODES",
		       "%u", plan->nnodes) < 0 ||
	    envset_add(set, ENV_HINT, "devices of the node, or key procs", err,
		       "PET_NPROC_PER_NODE", "%u",
		       hostfile_own_slots(plan)) < 0 ||
	    envset_add(set, ENV_WORLD, "SLURM_PROCID", err, "PET_NODE_RANK",
		       "%u", p->rank) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, "PET_MASTER_ADDR",
		       "%s", c->addr) < 0)
		return -1;
	if (envset_add(set, ENV_FACT, coordinator_port_source(c), err,
		       "PET_MASTER_PORT", "%u", c->port) < 0)
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
	.check = torchrun_check,
	.env = torchrun_env,
};
