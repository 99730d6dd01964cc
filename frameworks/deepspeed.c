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
	const struct env_row rows[] = {
		{ENV_FACT, "LOCAL_SIZE", "computed", .n = plan->nodes_procs},
		{ENV_FACT, "CROSS_RANK", "computed", .n = plan->node_rank},
		{ENV_FACT, "CROSS_SIZE", "SLURM_STEP_NUM_NODES",
		 .n = plan->nnodes},
	};

	return ddp_env(plan, p, set, err) < 0 ? -1 : ENVSET_ADD(set, rows, err);
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
