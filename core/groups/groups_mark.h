/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks are in a group that crosses, for pictures and tables. */
#ifndef DT_CORE_GROUPS_GROUPS_MARK_H
#define DT_CORE_GROUPS_GROUPS_MARK_H

#include "core/groups/groups_seen.h"
#include "core/topology/topology.h"

/* By rank: the bits of the near kinds of which its group crosses, at the level
 * at which the report counts that kind first. `topology` is that of the report.
 * report->ranks.n elements, for the caller to free; NULL: out of memory. */
unsigned char *groups_mark(const struct groups_report *report,
			   const struct topology *topology, struct err *err);

/* "tp crosses a block": in words, of one kind. Returns buf. */
#define GROUPS_MARK_SIZE (GROUPS_NAME_SIZE + 24)
const char *groups_mark_text(const struct groups_report *report, unsigned kind,
			     char buf[GROUPS_MARK_SIZE]);

#endif
