/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SGLang's server over several nodes: one per node, which starts the node's
 * schedulers itself. Names are those of SGLang 0.5.23: the options of
 * sglang/srt/arg_groups/fields/parallel.py and serving.py, the ports of
 * sglang/srt/server_args.py (PortArgs and DP_ATTENTION_HANDSHAKE_PORT_DELTA),
 * the variable of sglang/srt/utils/network.py.
 */
#include "core/base/ip.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/serving.h"

#define API_HOST "127.0.0.1"
#define API_PORT 30000

/* With attention in data parallel it uses, besides the port of
 * --dist-init-addr, the six after it and the thirteenth. */
#define NPORTS 14

static int sglang_args(const struct plan *plan, const struct process *p,
		       struct argset *args, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	char endpoint[ENDPOINT_SIZE];

	if (plan->nnodes == 1)
		return 0;
	if (serving_option(plan, "nnodes", NULL, args, err, "%u",
			   plan->nnodes) < 0 ||
	    serving_option(plan, "node-rank", NULL, args, err, "%u", p->rank) <
		    0)
		return -1;
	if (argv_option(plan->job->command, "nccl-init-addr", NULL))
		return 0; /* the older name of the next one */
	return serving_option(plan, "dist-init-addr", NULL, args, err, "%s",
			      endpoint_format(c->addr, c->port, endpoint));
}

static int sglang_env(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	(void)p;
	return serving_own_address(plan, "SGLANG_HOST_IP", set, err);
}

static bool sglang_api(const struct plan *plan, struct api *ret)
{
	return serving_api(plan, API_HOST, API_PORT, ret);
}

const struct framework framework_sglang = {
	.name = "sglang",
	.summary = "SGLang's server over several nodes: one per node, which "
		   "starts the workers",
	.tested = "the parser of SGLang 0.5.23, on CPUs; not its server",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_OWN_ADDRESS,
	.role = ROLE_LAUNCHER,
	.launches = true,
	.together = true,
	.nports = NPORTS,
	.check = serving_check,
	.env = sglang_env,
	.args = sglang_args,
	.api = sglang_api,
};
