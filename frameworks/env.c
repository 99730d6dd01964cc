/* SPDX-License-Identifier: Apache-2.0 */
/* Only the DIST_TRAIN_* variables, for frameworks that have no file here. */
#include "core/plan/framework.h"
#include "core/plan/plan.h"

enum { PEERS, NKEYS };

/* clang-format off */
static const struct option_key keys[NKEYS + 1] = {
	[PEERS] = {
		.name = "peers", .words = "no yes",
		.meaning = "also provide the address and a port of each "
			   "process in DIST_TRAIN_PEERS, its own port in "
			   "DIST_TRAIN_PORT, and the nodes' addresses in "
			   "DIST_TRAIN_HOST_ADDRS",
	},
};
/* clang-format on */

static unsigned env_needs_too(const struct request *r)
{
	return request_yes(r, OWN_KEY(PEERS))
		       ? NEEDS_PEERS | NEEDS_PROCMAP | NEEDS_ADDRESSES
		       : 0;
}

const struct framework framework_env = {
	.name = "env",
	.summary = "only the DIST_TRAIN_* variables, for any other framework",
	.tested = "sh",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.keys = keys,
	.role = ROLE_WORKER,
	.needs_too = env_needs_too,
};
