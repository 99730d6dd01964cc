/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan_remark.h"

#include "core/plan/framework.h"

#include <stdio.h>

bool plan_remark(const struct plan *plan, const struct process *process,
		 char *buf, unsigned size)
{
	unsigned seen = process->devices.nvisible;

	if (!plan->request->framework->local_rank || plan->node_rank != 0 ||
	    !seen || process->local_rank_shown != seen ||
	    plan->request->framework->takes_all)
		return false;
	snprintf(
		buf, size,
		"each process sees only %u device%s, so set_device(LOCAL_RANK) "
		"fails from local rank %u on; local-rank=device makes "
		"LOCAL_RANK the index of the process's own device",
		seen, seen == 1 ? "" : "s", seen);
	return true;
}
