/* SPDX-License-Identifier: Apache-2.0 */
/* What would have fewer groups that cross; for groups_report.c alone. */
#ifndef DT_CORE_GROUPS_GROUPS_CURE_H
#define DT_CORE_GROUPS_GROUPS_CURE_H

#include "core/groups/groups_seen.h"
#include "core/topology/topology.h"

/* Fill the members for order=topology, --segment and --switches of a report
 * whose `now` is there. part[level] has the part of each node. Returns 0, or
 * -1: out of memory. */
int groups_cure(const struct plan *plan, const struct job *step,
		const struct topology *topology,
		const unsigned *const part[GROUPS_LEVELS],
		struct groups_report *report, struct err *err);

#endif
