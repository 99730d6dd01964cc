/* SPDX-License-Identifier: Apache-2.0 */
/* Which NPU each process of a task has: exactly one, and nobody else. */
#ifndef DT_CORE_PLAN_PLAN_NPUS_H
#define DT_CORE_PLAN_PLAN_NPUS_H

#include "core/base/err.h"
#include "core/base/idlist.h"
#include "core/plan/plan.h"

/* Slurm's index on the node of the NPU of each of the plan's processes. Fails
 * when one has none or several, or when the node has fewer than processes. */
int plan_npus(const struct plan *plan, struct idlist *ret, struct err *err);

#endif
