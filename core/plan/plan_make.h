/* SPDX-License-Identifier: Apache-2.0 */
/* From the request and the facts to the plan of one task. */
#ifndef DT_CORE_PLAN_PLAN_MAKE_H
#define DT_CORE_PLAN_PLAN_MAKE_H

#include "core/plan/plan.h"

/* Make the plan of the task that `job` describes: in recovery the world's job
 * (core/plan/recovery.h). The request, the configuration and the job must
 * outlive it. Fails when the request can't be had with this layout. */
int plan_make(const struct request *request, const struct config *config,
	      const struct job *job, struct plan *ret, struct err *err);

#endif
