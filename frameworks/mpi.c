/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MPI program that Slurm starts through PMIx (or PMI-2): ranks are Slurm's,
 * and the library needs no word of ours but which interfaces to leave out for
 * TCP: by itself it takes all, a bridge such as docker0 too, which has the same
 * address on every node.
 */
#include "frameworks/shared.h"

#include "core/plan/coordinator.h"

#include <string.h>

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
	if (!plan->resolved.device_mode || !n) /* nobody knows how many */
		return 0;
	return err_printf(err,
			  "%s needs one Slurm task per rank, because only a "
			  "task has PMI; use %s=%u, or procs=task for one rank "
			  "per task",
			  name,
			  plan->uniform ? "--ntasks-per-node" : "--ntasks", n);
}

/* `nic` may be empty: the library's own choice. */
static int add_interface(struct envset *set, const char *source,
			 const char *name, const char *nic, struct err *err)
{
	if (!*nic)
		return envset_unset(set, ENV_HINT, source, err, name);
	return envset_add(set, ENV_HINT, source, err, name, "%s", nic);
}

/* For the TCP of libfabric (MPICH, Intel MPI), which takes the fastest one:
 * docker0 with containers calls itself fast. */
static int libfabric(const char *nic, const char *source, struct envset *set,
		     struct err *err)
{
	if (add_interface(set, source, "FI_TCP_IFACE", nic, err) < 0)
		return -1;
	return add_interface(set, source, "FI_SOCKETS_IFACE", nic, err);
}

/* UCX reads RDMA devices from the same list, so all of these are added. */
static int ucx(const struct plan *plan, const struct nic_list *tcp,
	       struct envset *set, struct err *err)
{
	static const char name[] = "UCX_NET_DEVICES";
	const char *rdma = plan->job->rdma;

	if (!*tcp->names || !rdma || !*rdma)
		return add_interface(set, tcp->source, name, tcp->names, err);
	return envset_add(set, ENV_HINT, tcp->source, err, name, "%s,%s",
			  tcp->names, rdma);
}

/* What programs read to choose a device before MPI_Init(). mpirun gives it to
 * each rank (Open MPI: orte/orted/pmix/pmix_server_gen.c and odls; MPICH's and
 * Intel MPI's are the last two); neither library reads it. */
static int ranks(const struct plan *plan, const struct process *p,
		 struct envset *set, struct err *err)
{
	const struct {
		const char *name;
		unsigned value;
	} names[] = {
		{"OMPI_COMM_WORLD_RANK", p->rank},
		{"OMPI_COMM_WORLD_SIZE", plan->world_size},
		{"OMPI_COMM_WORLD_LOCAL_RANK", p->local_rank},
		{"OMPI_COMM_WORLD_LOCAL_SIZE", plan->nodes_procs},
		{"OMPI_COMM_WORLD_NODE_RANK", p->local_rank},
		{"MPI_LOCALRANKID", p->local_rank},
		{"MPI_LOCALNRANKS", plan->nodes_procs},
	};

	if (p->added || plan->resolved.run_first)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (envset_add(set, ENV_HINT, "computed", err, names[i].name,
			       "%u", names[i].value) < 0)
			return -1;
	return 0;
}

/* Open MPI refuses both lists at once, so that the user's list of what to leave
 * out speaks for both. mpirun's own messages (oob) and MPICH's older channel
 * take one interface. None of these variables touches InfiniBand. */
static int interfaces(const struct plan *plan, struct envset *set,
		      struct err *err)
{
	static const char btl[] = "OMPI_MCA_btl_tcp_if_include",
			  oob[] = "OMPI_MCA_oob_tcp_if_include",
			  nemesis[] = "MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE";
	const char *source, *nic = plan_nic(plan, &source);
	struct nic_list tcp;

	if (!nic || plan->nnodes == 1)
		return 0;
	nic_tcp(plan, &tcp);
	if (add_interface(set, tcp.source, btl, tcp.names, err) < 0 ||
	    add_interface(set, source, oob, nic, err) < 0 ||
	    add_interface(set, source, nemesis, nic, err) < 0 ||
	    libfabric(*tcp.names ? nic : "", tcp.source, set, err) < 0)
		return -1;
	envset_follow(set, btl, "OMPI_MCA_btl_tcp_if_exclude");
	envset_follow(set, oob, "OMPI_MCA_oob_tcp_if_exclude");
	return ucx(plan, &tcp, set, err);
}

int mpi_env(const struct plan *plan, const struct process *p,
	    struct envset *set, struct err *err)
{
	if (ranks(plan, p, set, err) < 0)
		return -1;
	return interfaces(plan, set, err);
}

/* NVSHMEM asks PMI-1 unless it is told what Slurm has. Where a program hands it
 * an id instead, its sockets take the first interface. Names: NVSHMEM's
 * documentation, "Environment Variables"; the values stand in
 * libnvshmem_host.so, too. */
static int nvshmem(const struct plan *plan, struct envset *set, struct err *err)
{
	const char *source, *nic = plan_nic(plan, &source);
	const char *type = plan->job->mpi_type; /* NULL: PMIx by our choice */
	bool pmi2 = type && !strcmp(type, "pmi2");

	if ((pmi2 || !type || !strncmp(type, "pmix", 4)) &&
	    envset_add(set, ENV_HINT, "Slurm's PMI", err,
		       "NVSHMEM_BOOTSTRAP_PMI", "%s",
		       pmi2 ? "PMI-2" : "PMIX") < 0)
		return -1;
	if (!nic || plan->nnodes == 1)
		return 0;
	return add_interface(set, source, "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME",
			     nic, err);
}

static int env_of_tasks(const struct plan *plan, const struct process *p,
			struct envset *set, struct err *err)
{
	if (mpi_env(plan, p, set, err) < 0)
		return -1;
	return nvshmem(plan, set, err);
}

const struct framework framework_mpi = {
	.name = "mpi",
	.summary = "an MPI program, started by Slurm through PMIx",
	.tested = "Open MPI 4.1.4 and mpi4py 3.1.4 over PMIx; MPICH 4.0.2 and "
		  "mpi4py 4.1.1 over PMI-2",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PMI,
	.role = ROLE_WORKER,
	.check = mpi_check,
	.env = env_of_tasks,
	.env_first = mpi_env,
};
