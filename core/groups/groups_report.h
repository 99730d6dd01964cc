/* SPDX-License-Identifier: Apache-2.0 */
/* All counts of a step's groups. */
#ifndef DT_CORE_GROUPS_GROUPS_REPORT_H
#define DT_CORE_GROUPS_GROUPS_REPORT_H

#include "core/groups/groups_seen.h"
#include "core/topology/topology.h"

/* The plan and the step are as in rank_nodes_make(). The topology may be empty.
 * Fails when the sizes don't divide the world, or a replica group's, like
 * rank_nodes_make(), and when out of memory. groups_report_clear(). */
int groups_report_make(const struct plan *plan, const struct job *step,
		       const struct topology *topology,
		       struct groups_report *ret, struct err *err);

void groups_report_clear(struct groups_report *report);

#endif
