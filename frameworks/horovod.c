/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Horovod over MPI, without horovodrun: ranks come through PMI, as for mpi.
 *
 * Over Gloo ranks come from variables (horovod/common/gloo/gloo_context.cc,
 * horovod/common/utils/env_parser.cc), which are set too, and processes meet
 * through a key-value service. Nothing starts that yet, so that Gloo has to
 * bring an address of the user's.
 */
#include "frameworks/mpi.h"

#include <stdlib.h>
#include <strings.h>

#define CONTROLLER "HOROVOD_CONTROLLER"
#define RENDEZVOUS "HOROVOD_GLOO_RENDEZVOUS_ADDR"

/* Without the service each process would train alone, and nothing says so. */
static int horovod_check_user(env_lookup_fn lookup, void *arg, struct err *err)
{
	char *controller = lookup(arg, CONTROLLER);
	char *address = lookup(arg, RENDEZVOUS);
	bool alone = controller && !strcasecmp(controller, "gloo") && !address;

	free(controller);
	free(address);
	if (!alone)
		return 0;
	return err_printf(err, CONTROLLER
			  "=gloo: the key-value service that Gloo needs isn't "
			  "started by this version; " RENDEZVOUS
			  " and ..._PORT name one of yours (dist-train-kv), "
			  "and without " CONTROLLER " it is MPI");
}

static int ranks(const struct plan *plan, const struct process *p,
		 struct envset *set, struct err *err)
{
	if (envset_add(set, ENV_FACT, "SLURMD_NODENAME", err,
		       "HOROVOD_HOSTNAME", "%s", plan->job->node_name) < 0 ||
	    envset_add(set, ENV_FACT, "SLURM_PROCID", err, "HOROVOD_RANK", "%u",
		       p->rank) < 0 ||
	    envset_add(set, ENV_FACT, "plan", err, "HOROVOD_SIZE", "%u",
		       plan->world_size) < 0 ||
	    envset_add(set, ENV_FACT, "plan", err, "HOROVOD_LOCAL_RANK", "%u",
		       p->local_rank) < 0)
		return -1;
	return envset_add(set, ENV_FACT, "plan", err, "HOROVOD_LOCAL_SIZE",
			  "%u", plan->nodes_procs);
}

/* Across nodes, among the processes of one number on their node. Where nodes
 * have different numbers of processes a node doesn't know how many those are.
 */
static int cross(const struct plan *plan, struct envset *set, struct err *err)
{
	if (!plan->uniform)
		return 0;
	if (envset_add(set, ENV_FACT, "plan", err, "HOROVOD_CROSS_RANK", "%u",
		       plan->node_rank) < 0)
		return -1;
	return envset_add(set, ENV_FACT, "SLURM_STEP_NUM_NODES", err,
			  "HOROVOD_CROSS_SIZE", "%u", plan->nnodes);
}

static int horovod_env(const struct plan *plan, const struct process *p,
		       struct envset *set, struct err *err)
{
	const char *source, *nic = plan_nic(plan, &source);

	if (mpi_env(plan, p, set, err) < 0 || ranks(plan, p, set, err) < 0 ||
	    cross(plan, set, err) < 0 ||
	    envset_add(set, ENV_HINT, "ranks come through PMI", err, CONTROLLER,
		       "mpi") < 0)
		return -1;
	if (!nic)
		return 0;
	return envset_add(set, ENV_HINT, source, err, "HOROVOD_GLOO_IFACE",
			  "%s", nic);
}

const struct framework framework_horovod = {
	.name = "horovod",
	.summary = "Horovod over MPI, without horovodrun",
	.tested = "Horovod 0.28.1 with PyTorch 1.13.1 over MPI and Gloo",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PMI,
	.role = ROLE_WORKER,
	.check = mpi_check,
	.check_user = horovod_check_user,
	.env = horovod_env,
	.env_first = mpi_env,
};
