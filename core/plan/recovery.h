/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that go on without a lost node (keys spares, on-node-loss): the facts
 * of which their plans are made, and what they refuse. Pure; for all who call
 * plan_make(). doc/design/0083-worlds.md says why a framework is refused.
 */
#ifndef DT_CORE_PLAN_RECOVERY_H
#define DT_CORE_PLAN_RECOVERY_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/option.h"
#include "core/plan/plan.h"

/* The facts of which the plans of round 0 are made: `step` itself, which is
 * returned then, or in recovery those of its world in *own. job_clear(own) in
 * both cases, after the plan's end. NULL where the step can't have so many
 * spares, or not such a ladder, and when job_world() fails. */
const struct job *recovery_world(const struct request *request,
				 const struct job *step, struct job *own,
				 struct err *err);

/* Refuse what can't start again in place without a node: plan_make() calls it
 * once the plan's services are known. */
int recovery_check(const struct plan *plan, struct err *err);

#endif
