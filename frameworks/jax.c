/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jax.distributed.initialize() without arguments. Address and devices come
 * from JAX's own variables (jax/_src/distributed.py); the number and count of
 * processes from SLURM_PROCID and SLURM_NTASKS, as JAX has no variable for
 * them (jax/_src/clusters/slurm_cluster.py).
 */
#include "core/base/ip.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"

/* Where gRPC finds a proxy (src/core/handshaker/http_connect). It would send
 * the connection to rank 0 there too. */
static const char *const proxies[] = {"grpc_proxy", "https_proxy", "http_proxy",
				      NULL};
/* This list of exceptions is read instead of no_proxy where it is set. */
static const char *const grpcs_own[] = {"no_grpc_proxy", NULL};

static int jax_proxy(const char *addr, struct envset *set, struct err *err)
{
	static const char src[] = "only where a proxy is set";

	if (envset_append(set, src, err, "no_proxy", addr, proxies) < 0)
		return -1;
	return envset_append(set, src, err, "no_grpc_proxy", addr, grpcs_own);
}

/* The devices, as this process numbers those that it sees. Without devices JAX
 * keeps its own choice for Slurm, which doesn't matter on a CPU. */
static int jax_devices(const struct process *p, struct envset *set,
		       struct err *err)
{
	char ids[1024];

	if (!p->devices.own.n)
		return 0;
	if (idlist_format(&p->devices.own, ids, sizeof(ids)) < 0)
		return err_printf(err,
				  "JAX_LOCAL_DEVICE_IDS: too many devices");
	return envset_add(set, ENV_FACT, "devices allocated by Slurm", err,
			  "JAX_LOCAL_DEVICE_IDS", "%s", ids);
}

static int jax_env(const struct plan *plan, const struct process *p,
		   struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	char endpoint[ENDPOINT_SIZE];

	/* srun --preserve-env and heterogeneous steps leave other numbers in
	 * these variables. */
	if (envset_add(set, ENV_OURS, "computed", err, "SLURM_NTASKS", "%u",
		       plan->world_size) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err,
		       "JAX_COORDINATOR_ADDRESS", "%s",
		       endpoint_format(c->addr, c->port, endpoint)) < 0 ||
	    jax_devices(p, set, err) < 0)
		return -1;
	return jax_proxy(c->addr, set, err);
}

const struct framework framework_jax = {
	.name = "jax",
	.summary = "jax.distributed.initialize() without arguments",
	.tested = "JAX 0.10.2 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC,
	.role = ROLE_WORKER,
	.grpc_address = "JAX_COORDINATOR_ADDRESS",
	.env = jax_env,
};
