/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OneFlow takes the variables of env:// when it is imported
 * (oneflow/framework/env_util.py), and its device from LOCAL_RANK.
 */
#include "frameworks/ddp.h"

const struct framework framework_oneflow = {
	.name = "oneflow",
	.summary = "OneFlow, which reads its variables at import",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.keys = KEYS_OF_LOCAL_RANK,
	.role = ROLE_WORKER,
	.local_rank = true,
	.env = ddp_env,
};
