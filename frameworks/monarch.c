/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch Monarch: a worker on each node, which dist-train-monarch runs, and
 * the program once, on the first node, which attaches to the workers. They run
 * what anybody sends to them, so that all talk TLS with the step's certificate.
 * Names: monarch/_src/actor/bootstrap.py for the workers' addresses; the
 * attributes of hyperactor's configuration (their environment names stand in
 * monarch/config/__init__.py and in the package's library).
 */
#include "core/base/ip.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/procmap.h"

static bool monarch_service(const struct plan *plan, struct service *ret)
{
	(void)plan;
	*ret = (struct service){
		.role = ROLE_WORKER,
		.here = true,
		.helper = "dist-train-monarch",
		.python = true,
		.reports_ready = true,
	};
	return true;
}

/* What this process listens at: the program's actors call back. */
static int transport(const struct plan *plan, struct envset *set,
		     struct err *err)
{
	cleanup_hosts char **hosts = procmap_hosts(plan, err);
	char endpoint[ENDPOINT_SIZE];

	if (!hosts)
		return -1;
	endpoint_format(hosts[plan->job->nodeid], 0, endpoint);
	return envset_add(set, ENV_HINT, "this node", err,
			  "HYPERACTOR_MESH_DEFAULT_TRANSPORT", "tls://%s",
			  endpoint);
}

/* A user's certificates speak for all three. */
static int certificates(const struct plan *plan, struct envset *set,
			struct err *err)
{
	static const char leader[] = "HYPERACTOR_TLS_CA",
			  src[] = "only on this step's nodes";
	const char *cert = plan->files.cert ? plan->files.cert : ENV_LATER;
	const char *key = plan->files.key ? plan->files.key : ENV_LATER;
	const struct env_row rows[] = {
		{ENV_HINT, leader, src, .text = cert},
		{ENV_HINT, "HYPERACTOR_TLS_CERT", src, .text = cert},
		{ENV_HINT, "HYPERACTOR_TLS_KEY", src, .text = key},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
		return -1;
	envset_follow(set, "HYPERACTOR_TLS_CERT", leader);
	envset_follow(set, "HYPERACTOR_TLS_KEY", leader);
	return 0;
}

static int monarch_env(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	(void)p;
	return certificates(plan, set, err) < 0 ? -1
						: transport(plan, set, err);
}

const struct framework framework_monarch = {
	.name = "monarch",
	.summary = "PyTorch Monarch: a worker on each node; the program runs "
		   "once, and attaches to them",
	.tested = "torchmonarch 0.7.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PEERS |
		 NEEDS_PROCMAP | NEEDS_ADDRESSES | NEEDS_CERTIFICATE,
	.role = ROLE_WORKER,
	.launches = true,
	.once = true,
	.env = monarch_env,
	.service = monarch_service,
};
