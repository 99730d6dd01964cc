/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_CORE_PLAN_PLAN_REMARK_H
#define DT_CORE_PLAN_PLAN_REMARK_H

#include "core/plan/plan.h"

/* What a person should know although the plan works: a LOCAL_RANK that is no
 * valid index into what the process sees; fewer cores than processes, or fewer
 * CPUs than were asked for. Each is said of exactly one process of the step:
 * true then, and the line is in buf. */
bool plan_remark(const struct plan *plan, const struct process *process,
		 char *buf, unsigned size);

#endif
