/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TorchFT: replica groups, each a world of its own as in ddp, that meet at a
 * lighthouse and go on without a group that fails. Names: torchft/manager.py
 * (Manager.__init__: TORCHFT_LIGHTHOUSE, and ddp's for the group's store),
 * torchft/torchx.py (REPLICA_GROUP_ID, NUM_REPLICA_GROUPS). The timeouts and
 * TORCHFT_MANAGER_PORT, which manager.py also reads, have good defaults: the
 * port is any free one, which the group's store tells.
 */
#include "core/base/ip.h"
#include "frameworks/shared.h"

enum { REPLICAS, MIN_REPLICAS, NKEYS };

/* clang-format off */
static const struct option_key keys[NKEYS + 1] = {
	[REPLICAS] = {
		.name = "replicas", .words = "auto", .value = "N",
		.kind = KIND_NUMBER, .min = 1, .max = OPTION_COUNT_MAX,
		.meaning = "torchft: divide the step's nodes into N groups of "
			   "consecutive nodes, each a world of its own that "
			   "restarts alone; auto: each node is a group",
	},
	[MIN_REPLICAS] = {
		.name = "min-replicas", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 1, .max = OPTION_COUNT_MAX,
		.initial = 1,
		.meaning = "torchft: fewest groups with which the training "
			   "can go on; the step fails when fewer are left",
	},
};
/* clang-format on */

static void torchft_worlds(const struct request *r, struct world_wish *ret)
{
	*ret = (struct world_wish){
		.groups = (unsigned)request_number(r, OWN_KEY(REPLICAS)),
		.least = (unsigned)request_number(r, OWN_KEY(MIN_REPLICAS)),
	};
}

static bool torchft_service(const struct plan *plan, struct service *ret)
{
	*ret = (struct service){
		.role = ROLE_LIGHTHOUSE,
		.here = plan->job->procid == 0,
		.helper = "dist-train-lighthouse",
		.python = true,
		.reports_ready = true,
	};
	return true;
}

static int lighthouse_env(const struct plan *plan, struct envset *set,
			  struct err *err)
{
	return envset_add(set, ENV_OURS, "key min-replicas", err,
			  "DIST_TRAIN_MIN_REPLICAS", "%u", plan->min_replicas);
}

static int torchft_env(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	static const char src[] = "replica groups";
	const struct coordinator *c = &plan->service_at;
	char endpoint[ENDPOINT_SIZE];

	if (p->added)
		return lighthouse_env(plan, set, err);
	if (envset_add(set, ENV_FACT, c->addr_source, err, "TORCHFT_LIGHTHOUSE",
		       "http://%s",
		       endpoint_format(c->addr, c->port, endpoint)) < 0 ||
	    envset_add(set, ENV_FACT, src, err, "REPLICA_GROUP_ID", "%u",
		       p->world.replica) < 0 ||
	    envset_add(set, ENV_FACT, src, err, "NUM_REPLICA_GROUPS", "%u",
		       plan->nreplicas) < 0)
		return -1;
	return ddp_env(plan, p, set, err);
}

const struct framework framework_torchft = {
	.name = "torchft",
	.summary = "TorchFT: replica groups that fail and restart alone",
	.tested = "torchft 0.2.0 with PyTorch 2.15.0 over Gloo",
	.defaults = "restarts=1000",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_ERROR_FILE | NEEDS_TASKMAP,
	.keys = keys,
	.role = ROLE_WORKER,
	.local_rank = true,
	.worlds = torchft_worlds,
	.env = torchft_env,
	.service = torchft_service,
};
