/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Horovod without horovodrun. Over MPI ranks come through PMI, as for mpi.
 *
 * Over Gloo ranks come from variables (horovod/common/gloo/gloo_context.cc,
 * horovod/common/utils/env_parser.cc), and processes meet through a key-value
 * service on rank 0's node.
 */
#include "frameworks/shared.h"

#include <strings.h>

#define CONTROLLER "HOROVOD_CONTROLLER"
#define RENDEZVOUS "HOROVOD_GLOO_RENDEZVOUS_ADDR"

enum { CONTROLLER_KEY, NKEYS };
enum { CONTROLLER_AUTO, CONTROLLER_MPI, CONTROLLER_GLOO };

/* clang-format off */
static const struct option_key keys[NKEYS + 1] = {
	[CONTROLLER_KEY] = {
		.name = "controller", .words = "auto mpi gloo",
		.meaning = "horovod: how ranks find each other; auto: gloo in "
			   "device mode, else mpi",
	},
};
/* clang-format on */

static int controller(const struct request *r)
{
	return request_word(r, OWN_KEY(CONTROLLER_KEY));
}

static bool horovod_pmi(const struct request *r)
{
	return controller(r) != CONTROLLER_GLOO;
}

static bool over_gloo(const struct plan *plan)
{
	int word = controller(plan->request);

	return word == CONTROLLER_GLOO ||
	       (word == CONTROLLER_AUTO && plan->resolved.device_mode);
}

static bool horovod_service(const struct plan *plan, struct service *ret)
{
	if (!over_gloo(plan))
		return false;
	*ret = (struct service){
		.role = ROLE_STORE,
		.here = plan->first_rank == 0,
		.helper = "dist-train-kv",
		.reports_ready = true,
		.secret = true,
	};
	return true;
}

static int horovod_check(const struct plan *plan, struct err *err)
{
	return over_gloo(plan) ? 0 : mpi_check(plan, err);
}

/* Refuse HOROVOD_CONTROLLER=gloo without a service: each process would silently
 * train alone. */
static int horovod_check_user(const struct request *request,
			      env_lookup_fn lookup, void *arg, struct err *err)
{
	const char *theirs = lookup(arg, CONTROLLER);
	const char *address = lookup(arg, RENDEZVOUS);
	bool alone = theirs && !strcasecmp(theirs, "gloo") && !address &&
		     controller(request) != CONTROLLER_GLOO;

	if (!alone)
		return 0;
	return err_printf(
		err, CONTROLLER
		"=gloo: use the key controller=gloo, which starts the "
		"key-value service that Gloo needs, or set " RENDEZVOUS
		" and ..._PORT to a service of your own; without " CONTROLLER
		" Horovod uses MPI");
}

static int ranks(const struct plan *plan, const struct process *p,
		 struct envset *set, struct err *err)
{
	static const char src[] = "computed";
	const struct env_row rows[] = {
		{ENV_FACT, "HOROVOD_HOSTNAME", "SLURMD_NODENAME",
		 .text = plan->job->node_name},
		{ENV_WORLD, "HOROVOD_RANK", plan_rank_source(plan),
		 .n = p->rank},
		{ENV_WORLD, "HOROVOD_SIZE", src, .n = plan->world_size},
		{ENV_FACT, "HOROVOD_LOCAL_RANK", src, .n = p->local_rank},
		{ENV_FACT, "HOROVOD_LOCAL_SIZE", src, .n = plan->nodes_procs},
	};

	return ENVSET_ADD(set, rows, err);
}

/* The cross rank and size: among the processes with the same local rank, across
 * nodes. If nodes have different numbers of processes, a node doesn't know the
 * size, so both are unset. */
static int cross(const struct plan *plan, struct envset *set, struct err *err)
{
	static const char *const names[] = {"HOROVOD_CROSS_RANK",
					    "HOROVOD_CROSS_SIZE", NULL};
	const struct env_row rows[] = {
		{ENV_FACT, names[0], "computed", .n = plan->node_rank},
		{ENV_FACT, names[1], "SLURM_STEP_NUM_NODES", .n = plan->nnodes},
	};

	if (!plan->uniform)
		return envset_unset_all(
			set, ENV_FACT,
			"nodes have different numbers of processes", err,
			names);
	return ENVSET_ADD(set, rows, err);
}

/* The service refuses paths that don't begin with the secret, and what stands
 * after the port becomes the beginning of each. */
static int gloo(const struct plan *plan, struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const char *secret = plan->secret;

	if (envset_add(set, ENV_FACT, "controller", err, CONTROLLER, "gloo") <
		    0 ||
	    envset_add(set, ENV_FACT, "controller", err,
		       "HOROVOD_CPU_OPERATIONS", "gloo") < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, RENDEZVOUS,
		       "%s:%u/%s", c->addr, c->port,
		       secret ? secret : ENV_LATER) < 0)
		return -1;
	envset_hide(set, RENDEZVOUS);
	if (envset_add(set, ENV_FACT, coordinator_port_source(c), err,
		       "HOROVOD_GLOO_RENDEZVOUS_PORT", "%u", c->port) < 0)
		return -1;
	/* ranks wait for others whose imports take longer */
	return envset_add(set, ENV_HINT, "key timeout", err,
			  "HOROVOD_GLOO_TIMEOUT_SECONDS", "%ld",
			  request_seconds(plan->request, KEY_TIMEOUT));
}

static int horovod_env(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	const char *source, *nic = plan_nic(plan, &source);

	if (p->added)
		return 0;
	if (!over_gloo(plan) && mpi_env(plan, p, set, err) < 0)
		return -1;
	if (ranks(plan, p, set, err) < 0 || cross(plan, set, err) < 0 ||
	    envset_add(set, ENV_HINT, "as horovodrun sets it", err,
		       "PYTHONUNBUFFERED", "1") < 0)
		return -1;
	if (over_gloo(plan)
		    ? gloo(plan, set, err) < 0
		    : envset_add(set, ENV_HINT, "PMI provides the ranks", err,
				 CONTROLLER, "mpi") < 0)
		return -1;
	if (!nic)
		return 0;
	return envset_add(set, ENV_HINT, source, err, "HOROVOD_GLOO_IFACE",
			  "%s", nic);
}

const struct framework framework_horovod = {
	.name = "horovod",
	.summary = "Horovod over MPI or Gloo, without horovodrun",
	.tested = "Horovod 0.28.1 with PyTorch 1.13.1 over MPI and Gloo",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PMI,
	.keys = keys,
	.role = ROLE_WORKER,
	.pmi = horovod_pmi,
	.check = horovod_check,
	.check_user = horovod_check_user,
	.env = horovod_env,
	.service = horovod_service,
	.env_first = mpi_env,
};
