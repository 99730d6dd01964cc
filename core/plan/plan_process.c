/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/facts/share_cores.h"
#include "core/plan/framework.h"

#include <stdio.h>

/* Its place in the step, and which share of its node's devices is its: number
 * `owner` of `owners`, which is 0 for a role without any. */
static int place(const struct plan *plan, unsigned index, struct process *p,
		 unsigned *owner, unsigned *owners, struct err *err)
{
	const struct framework *fw = plan->request->framework;

	*p = (struct process){
		.role = plan->role,
		.rank = plan->first_rank + index,
		.local_rank = plan->job->localid + index,
		.cores = share_of_process(plan->job->cores, plan->nprocs),
	};
	if (fw->once && !p->rank)
		p->role = ROLE_HEAD;
	p->role_index = p->rank;
	*owner = p->local_rank;
	*owners = plan->nodes_procs;
	return fw->roles ? plan_role_of(plan, p, owner, owners, err) : 0;
}

/* Slurm's variables for GPUs don't apply to NPUs, of which a process sees the
 * step's, not the node's. */
static struct device_facts facts_of(const struct plan *plan)
{
	struct device_facts facts = plan->job->devices;

	if (plan->resolved.npu)
		facts.variable = NULL;
	return facts;
}

int plan_process(const struct plan *plan, unsigned index, struct process *ret,
		 struct err *err)
{
	struct device_facts facts = facts_of(plan);
	struct idlist on_node;
	unsigned owner, owners;
	struct process p;

	if (place(plan, index, &p, &owner, &owners, err) < 0)
		return -1;
	if (!owners)
		device_none(&plan->job->devices, &p.devices);
	else if (device_assign(&facts, owner, owners, plan->resolved.visible,
			       &p.devices, err) < 0)
		return -1;
	if (owners && plan->resolved.npu) {
		device_on_node(&facts, owner, owners, &on_node);
		p.npu = on_node.n ? on_node.id[0] : 0;
	}
	p.local_rank_shown = p.local_rank;
	if (plan->nreplicas && world_of(plan, p.rank, &p.world, err) < 0)
		return -1;
	if (request_word(plan->request, KEY_LOCAL_RANK) == LOCAL_RANK_DEVICE &&
	    p.devices.own.n)
		p.local_rank_shown = p.devices.own.id[0];
	*ret = p;
	return 0;
}

void plan_devices_on_node(const struct plan *plan, unsigned index,
			  struct idlist *ret)
{
	struct device_facts facts = facts_of(plan);
	unsigned owner, owners;
	struct process p;
	struct err ignored;

	ret->n = 0;
	if (place(plan, index, &p, &owner, &owners, &ignored) == 0 && owners)
		device_on_node(&facts, owner, owners, ret);
}

const char *plan_procs_by_task(const struct plan *plan, char *buf,
			       unsigned size)
{
	bool same = request_word(plan->request, KEY_PROCS) == PROCS_N;
	int n;

	if (!plan->resolved.device_mode)
		return NULL;
	if (roles_total(&plan->roles))
		return plan_roles_by_task(plan, buf, size);
	if (plan->job->dealt)
		return plan->job->node_procs;
	if (same && plan->nnodes > 1)
		n = snprintf(buf, size, "%u(x%u)", plan->nprocs, plan->nnodes);
	else if (same)
		n = snprintf(buf, size, "%u", plan->nprocs);
	else
		return plan->job->procs;
	return n > 0 && (unsigned)n < size ? buf : NULL;
}

int service_process(const struct plan *plan, struct process *ret,
		    struct err *err)
{
	struct process p;

	if (plan_process(plan, 0, &p, err) < 0)
		return -1;
	p.role = plan->service.role;
	p.added = p.service = true;
	if (!role_owns_devices(p.role))
		device_none(&plan->job->devices, &p.devices);
	*ret = p;
	return 0;
}

const char *service_name(const struct plan *plan, char buf[SERVICE_NAME_SIZE])
{
	enum role role = plan->service.role;

	if (role == ROLE_WORKER)
		snprintf(buf, SERVICE_NAME_SIZE, "%s-%u", role_name(role),
			 plan->node_rank);
	else
		snprintf(buf, SERVICE_NAME_SIZE, "%s", role_name(role));
	return buf;
}
