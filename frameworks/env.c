/* SPDX-License-Identifier: Apache-2.0 */
/* Only the DIST_TRAIN_* variables, for frameworks that have no file here. */
#include "core/plan/framework.h"
#include "core/plan/plan.h"

static int env_env(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	(void)plan;
	(void)p;
	(void)set;
	(void)err;
	return 0;
}

const struct framework framework_env = {
	.name = "env",
	.summary = "only the DIST_TRAIN_* variables, for any other framework",
	.tested = "sh",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.role = ROLE_WORKER,
	.env = env_env,
};
