/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/base/parse.h"

/* Entry `localid` of "0,1,2". */
static int find_number(const struct job *job, unsigned localid, unsigned *ret,
		       struct err *err)
{
	const char *text = job->gtids;
	unsigned long n = 0;

	for (unsigned i = 0; text && i <= localid; i++) {
		text += i && *text == ',';
		if (digits_read(&text, job->ntasks - 1UL, &n) < 0)
			text = NULL;
	}
	if (!text || (*text && *text != ','))
		return err_printf(err,
				  "SLURM_GTIDS has no task below %u for task "
				  "%u of node %s: '%.40s'",
				  job->ntasks, localid, job->node_name,
				  job->gtids ? job->gtids : "");
	*ret = (unsigned)n;
	return 0;
}

int node_task_make(const struct plan *plan, const struct config *config,
		   unsigned localid, struct node_task *ret, struct err *err)
{
	struct job *job = &ret->job;

	*job = *plan->job;
	job->localid = localid;
	/* In an order of our own a node's tasks follow each other. */
	if (plan->resolved.ordered)
		job->procid += localid - plan->job->localid;
	else if (find_number(plan->job, localid, &job->procid, err) < 0)
		return -1;
	return plan_make(plan->request, config, job, &ret->plan, err);
}
