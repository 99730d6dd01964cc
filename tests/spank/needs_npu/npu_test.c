/* SPDX-License-Identifier: Apache-2.0 */
/* A framework that asks for the addresses of NPUs and for nothing else. */
#include "core/framework.h"

static int npu_test_env(const struct plan *plan, const struct process *process,
			struct envset *set, struct err *err)
{
	(void)plan;
	return envset_add(set, ENV_FACT, "rank", err, "RANK", "%u",
			  process->rank);
}

extern const struct framework framework_npu_test;

const struct framework framework_npu_test = {
	.name = "npu-test",
	.summary = "a framework of the tests",
	.needs = NEEDS_NPU_ADDRESSES,
	.env = npu_test_env,
};
