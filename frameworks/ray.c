/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Ray cluster of exactly this step: a head on the first node, a worker on
 * each other one, which dist-train-ray starts through `ray start`. The program
 * runs once, beside the head; ray.init() finds it by RAY_ADDRESS.
 */
#include "core/base/ip.h"
#include "core/plan/dialect.h"
#include "frameworks/shared.h"

#include <string.h>

/* clang-format off */
const struct option_key dashboard_keys[DASHBOARD_NKEYS + 1] = {
	[DASHBOARD] = {
		.name = "dashboard", .words = "no yes",
		.meaning = "ray, dask: start the dashboard on the first node "
			   "and print its address",
	},
};
/* clang-format on */

static bool ray_service(const struct plan *plan, struct service *ret)
{
	*ret = (struct service){
		.role = plan->first_rank ? ROLE_WORKER : ROLE_HEAD,
		.here = true,
		.helper = "dist-train-ray",
		.python = true,
		.reports_ready = true,
		.in_turn = true,
	};
	return true;
}

/* Devices for which Slurm sets no visible-devices variable count as NPUs, as
 * everywhere. */
static bool are_npus(const struct plan *plan)
{
	return !plan->job->devices.variable;
}

/* Custom resources, as JSON for `ray start`. Without a number of NPUs Ray would
 * look for them itself. */
static int custom(const struct plan *plan, unsigned npus, struct envset *set,
		  struct err *err)
{
	const struct dialect_form *form = plan->request->form;
	static const char name[] = "DIST_TRAIN_RAY_RESOURCES";

	if (form && form->ray_resource)
		return envset_add(set, ENV_OURS, "dialect", err, name,
				  "{\"NPU\":%u,\"%s%u\":1}", npus,
				  form->ray_resource, plan->node_rank);
	return envset_add(set, ENV_OURS, "allocated by Slurm", err, name,
			  "{\"NPU\":%u}", npus);
}

/* The node's resources. If its cores aren't known, Ray counts them. */
static int resources(const struct plan *plan, const struct process *p,
		     struct envset *set, struct err *err)
{
	static const char src[] = "allocated by Slurm";
	unsigned npus = are_npus(plan) ? p->devices.own.n : 0;

	if (p->cores && envset_add(set, ENV_OURS, src, err,
				   "DIST_TRAIN_RAY_CPUS", "%u", p->cores) < 0)
		return -1;
	if (envset_add(set, ENV_OURS, src, err, "DIST_TRAIN_RAY_GPUS", "%u",
		       p->devices.own.n - npus) < 0)
		return -1;
	return custom(plan, npus, set, err);
}

static int service_env(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	bool dashboard = request_yes(plan->request, OWN_KEY(DASHBOARD));

	if (envset_unset(set, ENV_OURS, "the step starts its own cluster", err,
			 "RAY_ADDRESS") < 0 ||
	    resources(plan, p, set, err) < 0)
		return -1;
	if (!dashboard || p->role != ROLE_HEAD)
		return 0;
	return envset_add(set, ENV_OURS, "key dashboard", err,
			  "DIST_TRAIN_RAY_DASHBOARD", "yes");
}

/* Other users on the node can reach Ray's ports, so Ray must require a
 * token. */
static int token(const struct plan *plan, struct envset *set, struct err *err)
{
	const char *secret = plan->secret;

	if (envset_add(set, ENV_HINT, "only on this step's nodes", err,
		       "RAY_AUTH_MODE", "token") < 0)
		return -1;
	return envset_add(set, ENV_HINT, "only on this step's nodes", err,
			  "RAY_AUTH_TOKEN", "%s", secret ? secret : ENV_LATER);
}

/* vLLM asks Ray for the node of its own address ("node:10.0.0.1"), which is by
 * default that of the default route (get_ip() in vllm/utils/network_utils.py).
 * Ray's own processes get their node's from dist-train-ray. */
static int vllm(const struct coordinator *c, struct envset *set,
		struct err *err)
{
	struct ip ip;

	if (ip_parse(c->addr, strlen(c->addr), &ip) < 0)
		return 0; /* a name, which is no node of Ray's */
	return envset_add(set, ENV_HINT, c->addr_source, err, "VLLM_HOST_IP",
			  "%s", c->addr);
}

static int ray_env(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	char endpoint[ENDPOINT_SIZE];

	if (envset_add(set, ENV_HINT, "no connections to the outside", err,
		       "RAY_USAGE_STATS_ENABLED", "0") < 0 ||
	    token(plan, set, err) < 0)
		return -1;
	if (p->added)
		return service_env(plan, p, set, err);
	if (vllm(c, set, err) < 0)
		return -1;
	return envset_add(set, ENV_FACT, c->addr_source, err, "RAY_ADDRESS",
			  "%s", endpoint_format(c->addr, c->port, endpoint));
}

const struct framework framework_ray = {
	.name = "ray",
	.summary = "a Ray cluster of the step; the program runs once, on its "
		   "head",
	.tested = "Ray 2.60.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.keys = dashboard_keys,
	.role = ROLE_WORKER,
	.launches = true,
	.once = true,
	.env = ray_env,
	.service = ray_service,
};
