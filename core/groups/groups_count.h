/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parallel groups of ranks in the network (keys groups, groups-strict).
 *
 * srun counts them before a step starts, `dist-train explain` for a step that
 * isn't there. Pure; read in this order:
 * groups_count.h	how many groups are in several parts of the network
 * rank_nodes.h		the node of each rank
 * groups_report.h	all counts of a step, groups_seen.h what they are,
 *			groups_cure.h what would have fewer
 * groups_line.h	the words, and what groups-strict refuses
 * groups_mark.h	which ranks are in a group that crosses
 *
 * The cost is that of the ranks: the group of a rank in one kind is what it
 * becomes when that kind's digit varies (core/option/groups.h).
 */
#ifndef DT_CORE_GROUPS_GROUPS_COUNT_H
#define DT_CORE_GROUPS_GROUPS_COUNT_H

#include "core/option/groups.h"

/* The part of a node of which nobody knows it. */
#define GROUPS_UNKNOWN (~0U)

struct group_count {
	unsigned ngroups;
	unsigned ncross;   /* that have ranks in several parts */
	unsigned nunknown; /* of the others: those that may have */
	unsigned rank[2];  /* two that are apart, of the first that crosses */
};

/* Count all kinds. `groups` is fitted (groups_fit()) and its product divides
 * `nranks`. `node` has the node of each rank, `part` the part of each node or
 * GROUPS_UNKNOWN. Fills groups->n elements; can't fail. */
void groups_count(const struct groups *groups, const unsigned *node,
		  unsigned nranks, const unsigned *part,
		  struct group_count ret[GROUPS_MAX]);

#endif
