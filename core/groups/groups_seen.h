/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is found of a step's groups: how many cross its blocks and its leaf
 * switches, and what would have fewer that do.
 */
#ifndef DT_CORE_GROUPS_GROUPS_SEEN_H
#define DT_CORE_GROUPS_GROUPS_SEEN_H

#include "core/groups/groups_count.h"
#include "core/groups/rank_nodes.h"

#include <stdbool.h>

enum groups_level { GROUPS_BLOCK, GROUPS_SWITCH, GROUPS_LEVELS };

struct groups_counts {
	struct group_count kind[GROUPS_MAX];
};

struct groups_report {
	struct groups groups;  /* each has its size */
	unsigned near, strict; /* bits of kinds (core/option/groups.h) */
	struct rank_nodes ranks;
	bool alone;		   /* on one node: nothing crosses, and nothing
				      below is counted */
	bool known[GROUPS_LEVELS]; /* whether any node is in one */
	struct groups_counts now[GROUPS_LEVELS];
	bool has_order; /* order=topology would have other counts: */
	struct groups_counts ordered[GROUPS_LEVELS];
	unsigned segment;  /* with that order srun --segment=N of so many nodes
			      has none that crosses; 0: none is sure to */
	unsigned switches; /* the same for srun --switches=N; 1 needs no order
			    */
};

/* The level at which groups of a kind are to be counted first: blocks where any
 * group crosses one, else switches; without any that crosses the outermost that
 * is known. */
static inline enum groups_level groups_level_of(const struct groups_report *r,
						unsigned kind)
{
	if (r->now[GROUPS_BLOCK].kind[kind].ncross ||
	    (r->known[GROUPS_BLOCK] &&
	     !r->now[GROUPS_SWITCH].kind[kind].ncross))
		return GROUPS_BLOCK;
	return GROUPS_SWITCH;
}

#endif
