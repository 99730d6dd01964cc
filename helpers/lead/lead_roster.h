/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the controller of a step that outlives lost nodes knows of them: which
 * are here, which have a place, and the ladder of what follows from a loss.
 */
#ifndef DT_HELPERS_LEAD_LEAD_ROSTER_H
#define DT_HELPERS_LEAD_LEAD_ROSTER_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/plan/resolve.h"
#include "helpers/arbiter/arbiter.h"

#include <stdbool.h>

struct lead_roster;

/* NULL: out of memory, or the step's layout can't be read. */
struct lead_roster *lead_roster_open(const struct job *job,
				     const struct resolved *resolved,
				     long lease_s, struct err *err);
void lead_roster_close(struct lead_roster *lead); /* NULL is allowed */

/* What the arbiter has to know of it; as long as it is there. */
void lead_roster_tell(struct lead_roster *lead, struct arbiter_options *ret);

/* Whether some node's launchers have never come. */
bool lead_roster_awaits(const struct lead_roster *lead);

#endif
