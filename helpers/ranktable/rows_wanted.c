/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/rows_wanted.h"

#include "core/plan/plan_make.h"
#include "helpers/npu/devinfo.h"

#include <limits.h>
#include <stdlib.h>

/* Whether srun was asked to bind tasks to devices: one task may see all of them
 * and another one a part. Slurm tells each task what was asked. */
static bool are_bound(void)
{
	return getenv("SLURM_GPU_BIND") || getenv("SLURM_TRES_BIND");
}

bool rows_wanted_first_tells(const struct plan *plan)
{
	const struct job *job = plan->job;
	const struct device_facts *d = &job->devices;
	bool alike = !d->variable && (!d->task.n || d->task.n == d->step.n);

	return alike && !are_bound() && job->local_ntasks > 1 &&
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

/* The next number of "0,1,2"; *text then points behind its comma. */
static int next_task(const char **text, unsigned ntasks, unsigned *ret,
		     struct err *err)
{
	char *end;
	unsigned long n = strtoul(*text, &end, 10);

	if (end == *text || (*end && *end != ',') || n >= ntasks)
		return err_printf(err,
				  "SLURM_GTIDS has no task below %u at '%.20s'",
				  ntasks, *text);
	*text = *end ? end + 1 : end;
	*ret = (unsigned)n;
	return 0;
}

/* Number in the world the task with this local id. In an order of our own a
 * node's tasks follow each other. */
static int number_task(const struct plan *plan, const char **gtids,
		       struct job *task, struct err *err)
{
	if (!plan->resolved.ordered)
		return next_task(gtids, task->ntasks, &task->procid, err);
	task->procid = plan->job->procid - plan->job->localid + task->localid;
	return 0;
}

/* The one device of another task of this node, and its rank. */
static int add_task(const struct plan *plan, const struct config *config,
		    const struct job *job, const struct npu_nodes *nodes,
		    struct rows_wanted *ret, struct err *err)
{
	struct npu_task task;
	struct plan its;

	if (plan_make(plan->request, config, job, &its, err) < 0 ||
	    npu_task_find_among(&its, nodes, &task, err) < 0)
		return -1;
	ret->rank[ret->npu.n] = its.first_rank;
	ret->npu.id[ret->npu.n++] = task.own.id[0];
	return 0;
}

int rows_wanted_of_node(const struct plan *plan, const struct config *config,
			struct rows_wanted *ret, struct err *err)
{
	const char *gtids = getenv("SLURM_GTIDS");
	struct job job = *plan->job; /* borrows all that it points to */
	struct npu_nodes nodes;
	unsigned n = job.local_ntasks;

	ret->npu.n = 0;
	if (!gtids || n > IDLIST_MAX)
		return err_printf(err,
				  "node %s has %u tasks, and the rank table "
				  "takes %d NPUs of a node",
				  job.node_name, n, IDLIST_MAX);
	if (devinfo_nodes(devinfo_root(), &nodes, err) < 0)
		return -1;
	for (job.localid = 0; job.localid < n; job.localid++)
		if (number_task(plan, &gtids, &job, err) < 0 ||
		    add_task(plan, config, &job, &nodes, ret, err) < 0)
			return -1;
	return 0;
}
