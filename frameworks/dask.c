/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Dask cluster of exactly this step: a scheduler on the first node, a worker
 * on each node, which dist-train-dask starts. The program runs once, beside the
 * scheduler; Client() finds it by DASK_SCHEDULER_ADDRESS. Everybody who reaches
 * a port of Dask's could run code as the user, so all connections are TLS with
 * the step's certificate. Names: distributed/distributed.yaml and client.py of
 * the package distributed; a DASK_ variable is a key of its configuration, with
 * "__" between two levels (dask/config.py).
 */
#include "core/base/ip.h"
#include "frameworks/shared.h"

#define TLS "DASK_DISTRIBUTED__COMM__TLS__"

static bool dask_service(const struct plan *plan, struct service *ret)
{
	*ret = (struct service){
		.role = plan->first_rank ? ROLE_WORKER : ROLE_HEAD,
		.here = true,
		.helper = "dist-train-dask",
		.python = true,
		.reports_ready = true,
		.in_turn = true,
	};
	return true;
}

/* A user's certificates speak for all of it. */
static int certificates(const struct plan *plan, struct envset *set,
			struct err *err)
{
	static const char leader[] = TLS "CA_FILE";
	const char *cert = plan->files.cert ? plan->files.cert : ENV_LATER;
	const char *key = plan->files.key ? plan->files.key : ENV_LATER;
	const struct {
		const char *name, *value;
	} files[] = {
		{leader, cert},
		{TLS "SCHEDULER__CERT", cert},
		{TLS "SCHEDULER__KEY", key},
		{TLS "WORKER__CERT", cert},
		{TLS "WORKER__KEY", key},
		{TLS "CLIENT__CERT", cert},
		{TLS "CLIENT__KEY", key},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (envset_add(set, ENV_HINT, "only on this step's nodes", err,
			       files[i].name, "%s", files[i].value) < 0)
			return -1;
		if (i)
			envset_follow(set, files[i].name, leader);
	}
	return envset_add(set, ENV_OURS, "only on this step's nodes", err,
			  "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION", "True");
}

/* What a worker offers. If its cores aren't known, Dask counts them. Devices
 * for which Slurm sets no visible-devices variable count as NPUs, as
 * everywhere. */
static int resources(const struct plan *plan, const struct process *p,
		     struct envset *set, struct err *err)
{
	static const char src[] = "allocated by Slurm";
	const char *name = plan->job->devices.variable ? "GPU" : "NPU";

	if (p->cores &&
	    envset_add(set, ENV_OURS, src, err, "DIST_TRAIN_DASK_THREADS", "%u",
		       p->cores) < 0)
		return -1;
	if (!p->devices.own.n)
		return 0;
	return envset_add(set, ENV_HINT, src, err,
			  "DASK_DISTRIBUTED__WORKER__RESOURCES", "{\"%s\":%u}",
			  name, p->devices.own.n);
}

static int service_env(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	if (envset_add(set, ENV_HINT, "the program's output alone", err,
		       "DASK_LOGGING__DISTRIBUTED", "warning") < 0 ||
	    resources(plan, p, set, err) < 0)
		return -1;
	if (!request_yes(plan->request, OWN_KEY(DASHBOARD)))
		return 0;
	return envset_add(set, ENV_OURS, "key dashboard", err,
			  "DIST_TRAIN_DASK_DASHBOARD", "yes");
}

static int dask_env(const struct plan *plan, const struct process *p,
		    struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	char endpoint[ENDPOINT_SIZE];

	if (certificates(plan, set, err) < 0 ||
	    (p->added && service_env(plan, p, set, err) < 0))
		return -1;
	return envset_add(set, p->added ? ENV_OURS : ENV_FACT, c->addr_source,
			  err, "DASK_SCHEDULER_ADDRESS", "tls://%s",
			  endpoint_format(c->addr, c->port, endpoint));
}

const struct framework framework_dask = {
	.name = "dask",
	.summary = "a Dask cluster of the step; the program runs once, beside "
		   "its scheduler",
	.tested = "Dask 2026.8.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_CERTIFICATE,
	.keys = dashboard_keys,
	.role = ROLE_WORKER,
	.launches = true,
	.once = true,
	.env = dask_env,
	.service = dask_service,
};
