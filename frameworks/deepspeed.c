/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DeepSpeed without its launcher: deepspeed.init_distributed() finds the
 * variables of env:// and asks no MPI (deepspeed/comm/comm.py). The others are
 * those that its launcher adds (deepspeed/launcher/launch.py).
 */
#include "frameworks/shared.h"

static int deepspeed_env(const struct plan *plan, const struct process *p,
			 struct envset *set, struct err *err)
{
	if (ddp_env(plan, p, set, err) < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "LOCAL_SIZE", "%u",
		       plan->nodes_procs) < 0 ||
	    envset_add(set, ENV_FACT, "computed", err, "CROSS_RANK", "%u",
		       plan->node_rank) < 0)
		return -1;
	return envset_add(set, ENV_FACT, "SLURM_STEP_NUM_NODES", err,
			  "CROSS_SIZE", "%u", plan->nnodes);
}

const struct framework framework_deepspeed = {
	.name = "deepspeed",
	.summary = "deepspeed.init_distributed() without DeepSpeed's launcher",
	.tested = "DeepSpeed 0.12.6 with PyTorch 1.13.1 over Gloo; its "
		  "launcher over pdsh",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_ERROR_FILE,
	.role = ROLE_WORKER,
	.local_rank = true,
	.env = deepspeed_env,
};
