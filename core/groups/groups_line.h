/* SPDX-License-Identifier: Apache-2.0 */
/* Which groups cross a block or a switch, in one line for a person. */
#ifndef DT_CORE_GROUPS_GROUPS_LINE_H
#define DT_CORE_GROUPS_GROUPS_LINE_H

#include "core/groups/groups_report.h"

#define GROUPS_LINE_SIZE 800

/* "2 of 16 tp groups cross a block (node03 and node04); order=topology has 0",
 * of the kinds in `bits`; "" where none does. `nodes` is the step's host list.
 * Returns buf. */
const char *groups_line(const struct groups_report *report, unsigned bits,
			const char *nodes, char buf[GROUPS_LINE_SIZE]);

/* Refuse a step in which a kind of groups-strict crosses, or may do so. */
int groups_check(const struct groups_report *report, const char *nodes,
		 struct err *err);

#endif
