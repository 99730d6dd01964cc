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
		"LOCAL_RANK goes up to %u, but a process sees only %u device%s "
		"here, so that LOCAL_RANK is no index of its device; "
		"local-rank=device makes it one",
		plan->nodes_procs - 1, seen, seen == 1 ? "" : "s");
	return true;
}
