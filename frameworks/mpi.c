/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MPI program that Slurm starts through PMIx (or PMI-2): ranks are Slurm's,
 * and the library needs no word of ours but which interface to take for TCP. By
 * itself it takes all, a bridge such as docker0 too, which has the same address
 * on every node.
 */
#include "frameworks/mpi.h"

/* Refuse device mode: only a task has PMI, so processes that a launcher starts
 * inside it would not find each other. */
int mpi_check(const struct plan *plan, struct err *err)
{
	unsigned n = plan->uniform ? plan->nodes_procs : plan->world_size;
	const char *name = plan->request->framework->name;

	if (request_number(plan->request, KEY_RESTARTS))
		return err_printf(err,
				  "restarts: not supported with %s (a rank "
				  "can't join Slurm's PMI a second time); "
				  "sbatch --requeue restarts the whole job",
				  name);
	if (!plan->resolved.device_mode)
		return 0;
	return err_printf(err,
			  "%s needs one Slurm task per rank, because only a "
			  "task has PMI; use %s=%u for %u ranks, or procs=task "
			  "for one rank per task",
			  name,
			  plan->uniform ? "--ntasks-per-node" : "--ntasks", n,
			  plan->world_size);
}

/* UCX reads RDMA devices from the same list, so all of these are added. */
static int ucx_devices(const struct plan *plan, const char *nic,
		       const char *source, struct envset *set, struct err *err)
{
	const char *rdma = plan->job->rdma;

	return envset_add(set, ENV_HINT, source, err, "UCX_NET_DEVICES",
			  "%s%s%s", nic, rdma ? "," : "", rdma ? rdma : "");
}

/* Open MPI refuses both lists at once, so that the user's list of what to leave
 * out speaks for both. The others are for the TCP of libfabric (MPICH, Intel
 * MPI) and of MPICH's older channel; none of them touches InfiniBand. */
int mpi_env(const struct plan *plan, const struct process *p,
	    struct envset *set, struct err *err)
{
	static const struct {
		const char *name, *leader;
	} names[] = {
		{"OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_btl_tcp_if_exclude"},
		{"OMPI_MCA_oob_tcp_if_include", "OMPI_MCA_oob_tcp_if_exclude"},
		{"FI_TCP_IFACE", NULL},
		{"FI_SOCKETS_IFACE", NULL},
		{"MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE", NULL},
	};
	const char *source, *nic = plan_nic(plan, &source);

	(void)p;
	if (!nic || plan->nnodes == 1)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (envset_add(set, ENV_HINT, source, err, names[i].name, "%s",
			       nic) < 0)
			return -1;
		envset_follow(set, names[i].name, names[i].leader);
	}
	return ucx_devices(plan, nic, source, set, err);
}

const struct framework framework_mpi = {
	.name = "mpi",
	.summary = "an MPI program, started by Slurm through PMIx",
	.tested = "Open MPI 4.1.4 and mpi4py 3.1.4 over PMIx; MPICH 4.0.2 and "
		  "mpi4py 4.1.1 over PMI-2",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PMI,
	.role = ROLE_WORKER,
	.check = mpi_check,
	.env = mpi_env,
	.env_first = mpi_env,
};
