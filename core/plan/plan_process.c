/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan_process.h"

#include "core/facts/share_cores.h"
#include "core/plan/framework.h"
#include "core/plan/plan_roles.h"

#include <stdio.h>

/* The share of process number `owner`. Slurm's variables for GPUs don't apply
 * to NPUs, of which a process sees the step's, not the node's. */
static int assign_devices(const struct plan *plan, unsigned owner,
			  unsigned owners, struct process *p, struct err *err)
{
	const struct device_facts *facts = &plan->job->devices;
	struct device_facts npus;
	struct idlist on_node;

	if (plan->resolved.npu) {
		npus = *facts;
		npus.variable = NULL;
		facts = &npus;
		device_on_node(facts, owner, owners, &on_node);
		p->npu = on_node.n ? on_node.id[0] : 0;
	}
	return device_assign(facts, owner, owners, plan->resolved.visible,
			     &p->devices, err);
}

int plan_process(const struct plan *plan, unsigned index, struct process *ret,
		 struct err *err)
{
	const struct request *r = plan->request;
	unsigned owner, owners = plan->nodes_procs;
	struct process p = {
		.role = plan->role,
		.rank = plan->first_rank + index,
		.local_rank =
			plan->resolved.device_mode ? index : plan->job->localid,
		.cores = share_of_process(plan->job->cores, plan->nprocs),
	};

	if (r->framework->once && !p.rank)
		p.role = ROLE_HEAD;
	p.role_index = p.rank;
	owner = p.local_rank;
	if (r->framework->roles &&
	    plan_role_of(plan, &p, &owner, &owners, err) < 0)
		return -1;
	if (!owners)
		device_none(&plan->job->devices, &p.devices);
	else if (assign_devices(plan, owner, owners, &p, err) < 0)
		return -1;
	p.local_rank_shown = p.local_rank;
	if (request_word(r, KEY_LOCAL_RANK) == LOCAL_RANK_DEVICE &&
	    p.devices.own.n)
		p.local_rank_shown = p.devices.own.id[0];
	*ret = p;
	return 0;
}

void plan_devices_on_node(const struct plan *plan, unsigned index,
			  struct idlist *ret)
{
	unsigned owner = index, owners = plan->nodes_procs;
	struct process p = {.rank = plan->first_rank + index};
	struct err ignored;

	ret->n = 0;
	if (plan->request->framework->roles &&
	    plan_role_of(plan, &p, &owner, &owners, &ignored) < 0)
		return;
	if (owners)
		device_on_node(&plan->job->devices, owner, owners, ret);
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
	if (same && plan->nnodes > 1)
		n = snprintf(buf, size, "%u(x%u)", plan->nprocs, plan->nnodes);
	else if (same)
		n = snprintf(buf, size, "%u", plan->nprocs);
	else
		return plan->job->procs;
	return n > 0 && (unsigned)n < size ? buf : NULL;
}
