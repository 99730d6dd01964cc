/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Ray cluster of exactly this step: a head on the first node, a worker on
 * each other one, which dist-train-ray starts through `ray start`. The program
 * runs once, beside the head; ray.init() finds it by RAY_ADDRESS.
 */
#include "core/endpoint.h"
#include "core/framework.h"

static bool ray_service(const struct plan *plan, struct service *ret)
{
	*ret = (struct service){
		.role = plan->first_rank ? ROLE_WORKER : ROLE_HEAD,
		.here = true,
		.helper = "dist-train-ray",
		.python = true,
		.tells = true,
		.in_turn = true,
	};
	return true;
}

/* What the node offers. Where its cores aren't known Ray counts itself. */
static int resources(const struct process *p, struct envset *set,
		     struct err *err)
{
	static const char src[] = "as Slurm gave it";

	if (p->cores && envset_add(set, ENV_OURS, src, err,
				   "DIST_TRAIN_RAY_CPUS", "%u", p->cores) < 0)
		return -1;
	return envset_add(set, ENV_OURS, src, err, "DIST_TRAIN_RAY_GPUS", "%u",
			  p->devices.own.n);
}

/* Others on the node can reach Ray's ports: who has no token is sent away. */
static int token(const struct plan *plan, struct envset *set, struct err *err)
{
	const char *secret = plan->secret;

	if (envset_add(set, ENV_HINT, "only this step", err, "RAY_AUTH_MODE",
		       "token") < 0)
		return -1;
	return envset_add(set, ENV_HINT, "only this step", err,
			  "RAY_AUTH_TOKEN", "%s",
			  secret ? secret : "(when the step starts)");
}

static int ray_env(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	char endpoint[ENDPOINT_SIZE];

	if (envset_add(set, ENV_HINT, "no connections to elsewhere", err,
		       "RAY_USAGE_STATS_ENABLED", "0") < 0 ||
	    token(plan, set, err) < 0)
		return -1;
	if (!p->added)
		return envset_add(set, ENV_FACT, c->addr_source, err,
				  "RAY_ADDRESS", "%s",
				  endpoint_format(c->addr, c->port, endpoint));
	if (envset_unset(set, ENV_OURS, "it is the cluster", err,
			 "RAY_ADDRESS") < 0)
		return -1;
	return resources(p, set, err);
}

const struct framework framework_ray = {
	.name = "ray",
	.summary = "a Ray cluster of the step; the program runs once, on its "
		   "head",
	.tested = "Ray 2.60.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.role = ROLE_WORKER,
	.launches = true,
	.once = true,
	.env = ray_env,
	.service = ray_service,
};
