/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XGBoost's collective: ranks that meet at a tracker, which dist-train-xgboost
 * runs on rank 0's node. Names: those that XGBoost's tutorial "Distributed
 * XGBoost on Kubernetes" reads, and worker_args() of xgboost/tracker.py; the
 * library itself reads no variable, the program passes them on. A program for
 * Kubeflow starts the tracker in its rank 0.
 */
#include "core/plan/framework.h"
#include "core/plan/plan.h"

static bool xgboost_service(const struct plan *plan, struct service *ret)
{
	if (plan->request->form)
		return false;
	*ret = (struct service){
		.role = ROLE_TRACKER,
		.here = plan->first_rank == 0,
		.helper = "dist-train-xgboost",
		.python = true,
		.reports_ready = true,
	};
	return true;
}

static int digits(unsigned n)
{
	int count = 1;

	while (n /= 10)
		count++;
	return count;
}

/* The tracker gives ranks in the order of these names as texts, so that they
 * have leading zeros. */
static int task_id(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	int width = plan->serves ? digits(plan->world_size - 1) : 1;

	return envset_add(set, ENV_WORLD, "the rank", err, "DMLC_TASK_ID",
			  "%0*u", width, p->rank);
}

static int xgboost_env(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const struct env_row rows[] = {
		{ENV_FACT, "DMLC_TRACKER_URI", c->addr_source, .text = c->addr},
		{ENV_FACT, "DMLC_TRACKER_PORT", coordinator_port_source(c),
		 .n = c->port},
		{ENV_WORLD, "DMLC_NUM_WORKER", "computed",
		 .n = plan->world_size},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
		return -1;
	return p->added ? 0 : task_id(plan, p, set, err);
}

const struct framework framework_xgboost = {
	.name = "xgboost",
	.summary = "XGBoost's collective, with its tracker",
	.tested = "XGBoost 3.2.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.role = ROLE_WORKER,
	.env = xgboost_env,
	.service = xgboost_service,
};
