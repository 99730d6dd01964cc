/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/plan/framework.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static int resolve_rank0(const struct task *task, const struct job *job,
			 const char *nodes, char *ret, unsigned size)
{
	char line[256];
	int rc;

	snprintf(
		line, sizeof(line),
		"dist-train: %s: no name server has answered within %d s where "
		"%.64s is; put it into /etc/hosts, or write addr=name\n",
		job->node_name, RESOLVE_S, job->rank0_node);
	time_limit_begin(RESOLVE_S, line);
	rc = rank0_address(job->rank0_node, nodes, task->ask_node, ret, size);
	time_limit_end();
	return rc;
}

/* Find rank 0's address where srun couldn't pass it on (a component of a
 * heterogeneous step, srun --async). */
static int complete_address(const struct task *task, struct job *job,
			    const struct request *r, struct err *err)
{
	const char *nodes;
	char addr[NI_MAXHOST];

	if (job->rank0_addr || !job->rank0_node || job->nnodes == 1 ||
	    request_word(r, KEY_ADDR) == ADDR_NAME)
		return 0;
	nodes = task->env.get(task->env.arg, "SLURM_STEP_NODELIST");
	if (resolve_rank0(task, job, nodes, addr, sizeof(addr)) < 0)
		return 0;
	job->rank0_addr = strdup(addr);
	return job->rank0_addr ? 0 : err_memory(err);
}

/* The one node of a step: the processes meet at its loopback, but a rank table
 * has its address. */
static int complete_only_address(struct job *job, const struct task *task,
				 struct err *err)
{
	char addr[NI_MAXHOST];

	if (job->nnodes > 1 || job->rank0_addr || !task->resolved->table ||
	    rank0_address(job->node_name, NULL, NULL, addr, sizeof(addr)) < 0)
		return 0;
	job->rank0_addr = strdup(addr);
	return job->rank0_addr ? 0 : err_memory(err);
}

/* The interface of the key addr=nic, if this node has it too. Else the
 * interface that routes to rank 0: slurmstepd has found it already if the
 * address was the same. */
static int complete_nic(struct job *job, const struct task *task,
			struct err *err)
{
	const struct request *r = task->request;
	const char *ip = job->nnodes == 1 ? ROUTE_LOOPBACK : job->rank0_addr;
	const char *nic = request_text(r, KEY_ADDR);
	struct route route = task->route;
	char addr[NI_MAXHOST];

	if (!ip || !task->resolved->find_nic)
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

/* The node's interfaces, and whether the user's or the site's file chooses
 * among them for NCCL. The files are read only where we would choose. */
static int complete_interfaces(const struct task *task, struct job *job,
			       struct err *err)
{
	const char *names = request_text(task->request, KEY_NIC);
	const struct interfaces *found = task->interfaces;

	free(job->interfaces);
	free(job->nccl_conf);
	job->interfaces = job->nccl_conf = NULL;
	if (!found->n)
		return 0;
	job->interfaces = interfaces_text(found);
	if (!job->interfaces)
		return err_memory(err);
	if (names && interfaces_check(names, found, job->node_name, err) < 0)
		return -1;
	if (request_word(task->request, KEY_NIC) != NIC_AUTO || !job->nic ||
	    job->nnodes == 1 || interfaces_all_lead(found, job->nic))
		return 0;
	return nccl_conf_find(&task->env, &job->nccl_conf, err);
}

/* slurmstepd has asked already where the interface is the same. */
static int address_of(const struct route *route, const char *nic, char *ret,
		      unsigned size)
{
	if (!*route->own || strcmp(route->interface, nic) != 0)
		return route_address_of(nic, ret, size);
	snprintf(ret, size, "%s", route->own);
	return 0;
}

/* The address by which other nodes reach this one, for libraries that need
 * it. */
static int complete_own_address(struct job *job, const struct task *task,
				struct err *err)
{
	const char *names = request_text(task->request, KEY_NIC);
	char first[INTERFACE_NAME_SIZE], addr[NI_MAXHOST];
	const char *nic = names ? first : job->nic;

	if (names)
		interfaces_first(names, task->interfaces, first);
	if (!task->resolved->own_address || !nic || job->nnodes == 1 ||
	    address_of(&task->route, nic, addr, sizeof(addr)) < 0)
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

int task_facts_complete(const struct task *task, struct job *job,
			struct err *err)
{
	const struct request *r = task->request;

	if (complete_nic_address(job, r, err) < 0 ||
	    complete_address(task, job, r, err) < 0 ||
	    complete_only_address(job, task, err) < 0 ||
	    complete_nic(job, task, err) < 0 ||
	    complete_interfaces(task, job, err) < 0 ||
	    complete_own_address(job, task, err) < 0)
		return -1;
	return complete_rdma(job, r, err);
}
