/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that go on without a lost node (keys spares, on-node-loss): the facts
 * of which their plans are made, and what they refuse. Pure; for all who call
 * plan_make(). doc/design/helpers-roster.md says why a framework is refused.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/facts/places.h"
#include "core/option/option.h"
#include "core/plan/plan.h"

/* What the user has asked for, "spares=1" or "on-node-loss=shrink:2+fail". */
#define RECOVERY_ASKED (LADDER_SIZE + 16)
const char *recovery_asked(const struct resolved *w, char buf[RECOVERY_ASKED]);

/* Refuse what can't start again in place without a node: plan_make() calls it
 * once the plan's services are known. */
int recovery_check(const struct plan *plan, struct err *err);

/*
 * The world with which a step begins: which of its nodes have ranks, and in
 * which order. Spares have none (core/plan/recovery.h); with the key
 * order=topology the nodes' order isn't Slurm's
 * (doc/design/core-topology.md). Pure; for all who call plan_make().
 */

/* The facts of which the plans of round 0 are made: `step` itself, which is
 * returned where its world is Slurm's, or those of its world in *own.
 * job_clear(own) in both cases, after the plan's end. NULL where the step can't
 * have so many spares, or not such a ladder, or what was handed over is no
 * order of its nodes, and when job_world() fails. */
const struct job *first_world(const struct request *request,
			      const struct job *step, struct job *own,
			      struct err *err);

/* The places of round 0 in a step with `nspares`. Fails like first_world(). */
int first_places(const struct job *step, unsigned nspares, struct places *ret,
		 struct err *err);
