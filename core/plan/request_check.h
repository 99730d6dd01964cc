/* SPDX-License-Identifier: Apache-2.0 */
/* Which keys can't go together, as far as neither words nor counts alone
 * tell. */
#ifndef DT_CORE_PLAN_REQUEST_CHECK_H
#define DT_CORE_PLAN_REQUEST_CHECK_H

#include "core/plan/plan.h"

/* Refuse what no step can have, whatever its nodes and tasks: where the option
 * is read, so that sbatch and salloc see it before anything is queued. The
 * framework must be known. */
int request_check(const struct request *request, struct err *err);

/* Refuse what the processes of this plan can't have: plan_make() calls it once
 * the plan's services are known. */
int request_check_plan(const struct plan *plan, struct err *err);

#endif
