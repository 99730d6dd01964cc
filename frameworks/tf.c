/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TensorFlow's MultiWorkerMirroredStrategy, and any other strategy in which
 * all processes are workers.
 */
#include "frameworks/shared.h"

static int tf_env(const struct plan *plan, const struct process *p,
		  struct envset *set, struct err *err)
{
	return tf_config_add(plan, p, false, set, err);
}

const struct framework framework_tf = {
	.name = "tf",
	.summary = "TensorFlow, all processes are workers: TF_CONFIG for "
		   "MultiWorkerMirroredStrategy",
	.tested = "TensorFlow 2.21.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PROCMAP,
	.role = ROLE_WORKER,
	.takes_all = true,
	.env = tf_env,
};
