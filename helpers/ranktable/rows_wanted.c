/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/rows_wanted.h"

#include "core/plan/plan.h"
#include "helpers/npu/devinfo.h"

#include <stdlib.h>

bool rows_wanted_first_tells(const struct plan *plan)
{
	const struct job *job = plan->job;
	const struct device_facts *d = &job->devices;
	bool alike = !d->variable && (!d->task.n || d->task.n == d->step.n);

	if (plan->resolved.node_launcher)
		return true; /* nobody else is here to tell them */
	return alike && !job->bound && job->local_ntasks > 1 &&
	       !plan->resolved.device_mode && !plan->resolved.recovery &&
	       !getenv("SLURM_HET_SIZE");
}

static unsigned first_number(const struct plan *plan)
{
	if (!plan->resolved.recovery)
		return plan->first_rank;
	return plan->resolved.device_mode ? 0 : plan->job->localid;
}

void rows_wanted_own(const struct plan *plan, const struct npu_task *task,
		     struct rows_wanted *ret)
{
	ret->npu = task->own;
	for (unsigned i = 0; i < task->own.n; i++)
		ret->rank[i] = first_number(plan) + i;
}

/* The one device of another task of this node, and its rank. */
static int add_task(const struct plan *plan, const struct config *config,
		    unsigned localid, const struct npu_nodes *nodes,
		    struct rows_wanted *ret, struct err *err)
{
	struct node_task its;
	struct npu_task task;

	if (node_task_make(plan, config, localid, &its, err) < 0 ||
	    npu_task_find_among(&its.plan, nodes, &task, err) < 0)
		return -1;
	ret->rank[ret->npu.n] = its.plan.first_rank;
	ret->npu.id[ret->npu.n++] = task.own.id[0];
	return 0;
}

int rows_wanted_of_node(const struct plan *plan, const struct config *config,
			struct rows_wanted *ret, struct err *err)
{
	unsigned n = plan->job->local_ntasks;
	struct npu_nodes nodes;

	ret->npu.n = 0;
	if (n > IDLIST_MAX)
		return err_printf(err,
				  "node %s has %u tasks, and the rank table "
				  "takes %d NPUs of a node",
				  plan->job->node_name, n, IDLIST_MAX);
	if (devinfo_nodes(devinfo_root(), &nodes, err) < 0)
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (add_task(plan, config, i, &nodes, ret, err) < 0)
			return -1;
	return 0;
}
