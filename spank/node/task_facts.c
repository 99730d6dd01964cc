/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/task_facts.h"

#include "core/base/cleanup.h"
#include "core/plan/framework.h"
#include "spank/node/rdma.h"
#include "spank/node/time_limit.h"
#include "spank/slurm/rank0.h"
#include "spank/slurm/step_job.h"
#include "sys/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOPBACK  "127.0.0.1"
#define RESOLVE_S 30

/* With addr=nic: look up the interface's address, on rank 0's node only. */
static int complete_nic_address(struct job *job, const struct request *r,
				struct err *err)
{
	const char *nic = request_text(r, KEY_ADDR);
	char addr[NI_MAXHOST];

	if (!nic || (job->nnodes > 1 && job->procid != 0))
		return 0;
	if (route_address_of(nic, addr, sizeof(addr)) < 0)
		return err_printf(err,
				  "addr=nic:%s: node %s has no address on "
				  "such an interface",
				  nic, job->node_name);
	job->nic_addr = strdup(addr);
	return job->nic_addr ? 0 : err_memory(err);
}

/* In this task's own process, so that a slow resolver delays only this task. */
static int resolve_rank0(const struct job *job, const char *nodes, char *ret,
			 unsigned size)
{
	char line[256];
	int rc;

	snprintf(
		line, sizeof(line),
		"dist-train: %s: no name server has answered within %d s where "
		"%.64s is; put it into /etc/hosts, or write addr=name\n",
		job->node_name, RESOLVE_S, job->rank0_node);
	time_limit_begin(RESOLVE_S, line);
	rc = rank0_resolve(job->rank0_node, nodes, job->het, ret, size);
	time_limit_end();
	return rc;
}

/* Find rank 0's address where srun couldn't pass it on (a component of a
 * heterogeneous step, srun --async). */
static int complete_address(spank_t sp, struct job *job,
			    const struct request *r, struct err *err)
{
	cleanup_free char *nodes = NULL;
	char addr[NI_MAXHOST];

	if (job->rank0_addr || !job->rank0_node || job->nnodes == 1 ||
	    request_word(r, KEY_ADDR) == ADDR_NAME)
		return 0;
	nodes = job_getenv(sp, "SLURM_STEP_NODELIST");
	if (resolve_rank0(job, nodes, addr, sizeof(addr)) < 0)
		return 0;
	job->rank0_addr = strdup(addr);
	return job->rank0_addr ? 0 : err_memory(err);
}

/* The interface of the key addr=nic, if this node has it too. Else the
 * interface that routes to rank 0: slurmstepd has found it already if the
 * address was the same. */
static int complete_nic(struct job *job, const struct adapter *adapter,
			struct err *err)
{
	const struct request *r = &adapter->request;
	const char *ip = job->nnodes == 1 ? LOOPBACK : job->rank0_addr;
	const char *nic = request_text(r, KEY_ADDR);
	struct route route = adapter->route;
	char addr[NI_MAXHOST];

	if (!ip || !adapter->resolved.find_nic)
		return 0;
	if (nic && job->nnodes > 1 &&
	    route_address_of(nic, addr, sizeof(addr)) == 0)
		snprintf(route.interface, sizeof(route.interface), "%s", nic);
	else if (strcmp(route.ip, ip) != 0)
		route_find(ip, &route);
	free(job->nic);
	job->nic = *route.interface ? strdup(route.interface) : NULL;
	return *route.interface && !job->nic ? err_memory(err) : 0;
}

/* The address by which other nodes reach this one, for libraries that need
 * it. */
static int complete_own_address(struct job *job, const struct adapter *adapter,
				struct err *err)
{
	const char *nic = request_text(&adapter->request, KEY_NIC);
	char addr[NI_MAXHOST];

	if (!nic)
		nic = job->nic;
	if (!adapter->resolved.npu || !nic || job->nnodes == 1 ||
	    route_address_of(nic, addr, sizeof(addr)) < 0)
		return 0;
	free(job->own_addr);
	job->own_addr = strdup(addr);
	return job->own_addr ? 0 : err_memory(err);
}

/* The RDMA ports, which UCX's list of allowed devices must include. */
static int complete_rdma(struct job *job, const struct request *r,
			 struct err *err)
{
	free(job->rdma);
	job->rdma = NULL;
	if (!(r->framework->needs & NEEDS_PMI) || job->nnodes == 1)
		return 0;
	return rdma_ports(&job->rdma, err);
}

int task_facts_complete(spank_t sp, const struct adapter *adapter,
			struct job *job, struct err *err)
{
	const struct request *r = &adapter->request;

	if (complete_nic_address(job, r, err) < 0 ||
	    complete_address(sp, job, r, err) < 0 ||
	    complete_nic(job, adapter, err) < 0 ||
	    complete_own_address(job, adapter, err) < 0)
		return -1;
	return complete_rdma(job, r, err);
}
