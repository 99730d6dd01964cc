/* SPDX-License-Identifier: Apache-2.0 */
/* All counts of a step's groups. */
#pragma once

#include "core/base/err.h"
#include "core/option/groups.h"
#include "core/plan/plan.h"
#include "core/topology/topology.h"

#include <stdbool.h>

/* The node of each rank of the world that starts. */

struct rank_nodes {
	unsigned *node; /* by rank: its position in the step's list; owned */
	unsigned n;
};

/*
 * The parallel groups of ranks in the network (keys groups, groups-strict).
 *
 * srun counts them before a step starts, `dist-train explain` for a step that
 * isn't there. Pure; read in this order:
 * groups_count.c	how many groups are in several parts of the network
 * groups_report.c	the node of each rank, and all counts of a step;
 *			groups_report.h what they are; and what would have fewer
 * groups_line.c	the words, and what groups-strict refuses
 * groups_mark.c	which ranks are in a group that crosses
 *
 * The cost is that of the ranks: the group of a rank in one kind is what it
 * becomes when that kind's digit varies (core/option/groups.h).
 */

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

/*
 * What is found of a step's groups: how many cross its blocks and its leaf
 * switches, and what would have fewer that do.
 */

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

/* The plan and the step are as in rank_nodes_make(). The topology may be empty.
 * Fails when the sizes don't divide the world, or a replica group's, like
 * rank_nodes_make(), and when out of memory. groups_report_clear(). */
int groups_report_make(const struct plan *plan, const struct job *step,
		       const struct topology *topology,
		       struct groups_report *ret, struct err *err);

void groups_report_clear(struct groups_report *report);

/* What would have fewer groups that cross; for groups_report.c alone. */

/* Which groups cross a block or a switch, in one line for a person. */

#define GROUPS_LINE_SIZE 800

/* "2 of 16 tp groups cross a block (node03 and node04); order=topology has 0",
 * of the kinds in `bits`; "" where none does. `nodes` is the step's host list.
 * Returns buf. */
const char *groups_line(const struct groups_report *report, unsigned bits,
			const char *nodes, char buf[GROUPS_LINE_SIZE]);

/* Refuse a step in which a kind of groups-strict crosses, or may do so. */
int groups_check(const struct groups_report *report, const char *nodes,
		 struct err *err);

/* Which ranks are in a group that crosses, for pictures and tables. */

/* By rank: the bits of the near kinds of which its group crosses, at the level
 * at which the report counts that kind first. `topology` is that of the report.
 * report->ranks.n elements, for the caller to free; NULL: out of memory. */
unsigned char *groups_mark(const struct groups_report *report,
			   const struct topology *topology, struct err *err);

/* "tp crosses a block": in words, of one kind. Returns buf. */
#define GROUPS_MARK_SIZE (GROUPS_NAME_SIZE + 24)
const char *groups_mark_text(const struct groups_report *report, unsigned kind,
			     char buf[GROUPS_MARK_SIZE]);
