/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"

#include "core/plan/step_order.h"

#include <stdlib.h>

/* How many ranks each node has; a spare has as many as all others. NULL: out of
 * memory. */
static unsigned *ranks_of_nodes(const struct rank_nodes *ranks, unsigned nnodes,
				bool spares)
{
	unsigned *n = calloc(nnodes, sizeof(*n));

	for (unsigned i = 0; n && i < ranks->n; i++)
		n[ranks->node[i]]++;
	for (unsigned i = 0; n && spares && i < nnodes; i++)
		n[i] = n[ranks->node[0]];
	return n;
}

/* The world in another order of nodes: each has its ranks in a row. */
static void reorder(const unsigned *order, const unsigned *node_ranks,
		    unsigned nnodes, unsigned nranks, unsigned *ret)
{
	unsigned rank = 0;

	for (unsigned i = 0; i < nnodes; i++)
		for (unsigned n = node_ranks[order[i]]; n && rank < nranks; n--)
			ret[rank++] = order[i];
}

/* How many groups of near kinds do at one level, and at all of them. */
static unsigned crossing_at(const struct groups_report *r,
			    const struct groups_counts *count)
{
	unsigned n = 0;

	for (unsigned k = 0; k < r->groups.n; k++)
		if (r->near >> k & 1)
			n += count->kind[k].ncross;
	return n;
}

static unsigned crossing(const struct groups_report *r,
			 const struct groups_counts count[GROUPS_LEVELS])
{
	return crossing_at(r, &count[GROUPS_BLOCK]) +
	       crossing_at(r, &count[GROUPS_SWITCH]);
}

/* The most nodes that are in one block, in *ret. */
static int find_largest(const struct topology *t, const unsigned *block,
			unsigned *ret, struct err *err)
{
	cleanup_free unsigned *n = calloc(t->nunits + 1UL, sizeof(*n));

	if (!n)
		return err_memory(err);
	*ret = 0;
	for (unsigned i = 0; i < t->nnodes; i++)
		if (block[i] != GROUPS_UNKNOWN && ++n[block[i]] > *ret)
			*ret = n[block[i]];
	return 0;
}

/* Of how many nodes the near kinds' groups are up to the last one that crosses
 * in that count. 0: none does, or it isn't as many whole nodes for all. */
static unsigned nodes_of_groups(const struct groups_report *r,
				const struct groups_counts *count,
				unsigned nnodes, const unsigned *node_ranks)
{
	unsigned span = 1, wanted = 0;

	for (unsigned k = 0; k < r->groups.n; k++) {
		span *= r->groups.kind[k].size;
		if (r->near >> k & 1 && count->kind[k].ncross)
			wanted = span;
	}
	for (unsigned i = 0; i < nnodes; i++)
		if (node_ranks[i] != node_ranks[0] || !node_ranks[0])
			return 0;
	return wanted % node_ranks[0] ? 0 : wanted / node_ranks[0];
}

/* Where each block has a multiple of N nodes, an order by blocks cuts the world
 * at multiples of N alone: groups that are within such a cut don't cross. */
static unsigned find_segment(const struct groups_report *r, unsigned most,
			     unsigned nnodes, const unsigned *node_ranks)
{
	unsigned n = nodes_of_groups(r, &r->ordered[GROUPS_BLOCK], nnodes,
				     node_ranks);

	return !n || nnodes % n || n == nnodes || most < n ? 0 : n;
}

/* One leaf switch has room for all; or, where nodes are ordered, the step fills
 * N of them, which are all as large, and each has a multiple of the groups'
 * nodes. */
static unsigned find_switches(const struct groups_report *r,
			      const struct groups_counts *count,
			      const struct topology *t,
			      const unsigned *node_ranks, bool may_order)
{
	unsigned n = nodes_of_groups(r, count, t->nnodes, node_ranks), most = 0;
	bool equal = may_order && n;

	for (unsigned i = 0; t->leaf && i < t->nunits; i++) {
		if (!t->leaf[i])
			continue;
		equal &= !most || t->leaf[i] == most;
		if (t->leaf[i] > most)
			most = t->leaf[i];
	}
	if (most >= t->nnodes)
		return 1;
	return equal && most && most % n == 0 && t->nnodes % most == 0
		       ? t->nnodes / most
		       : 0;
}

/* What the step would have with order=topology. */
static int count_ordered(const struct plan *plan, const struct job *step,
			 const struct topology *t, const unsigned *node_ranks,
			 const unsigned *const part[GROUPS_LEVELS],
			 struct groups_report *r, struct err *err)
{
	struct step_tasks tasks = {step->tasks, step->taskmap, step->ntasks,
				   plan->request};
	cleanup_free unsigned *node = calloc(r->ranks.n + 1UL, sizeof(*node));
	cleanup_free unsigned *order =
		step_order_nodes(t, &tasks, &plan->resolved, err);

	if (!order)
		return -1;
	if (!node)
		return err_memory(err);
	reorder(order, node_ranks, t->nnodes, r->ranks.n, node);
	for (int i = 0; i < GROUPS_LEVELS; i++)
		if (r->known[i])
			groups_count(&r->groups, node, r->ranks.n, part[i],
				     r->ordered[i].kind);
	return 0;
}

int groups_cure(const struct plan *plan, const struct job *step,
		const struct topology *t,
		const unsigned *const part[GROUPS_LEVELS],
		struct groups_report *r, struct err *err)
{
	const struct resolved *w = &plan->resolved;
	const struct groups_counts *switches = &r->now[GROUPS_SWITCH];
	cleanup_free unsigned *node_ranks =
		ranks_of_nodes(&r->ranks, t->nnodes, w->spares);
	unsigned most = 0;

	if (!node_ranks)
		return err_memory(err);
	if (!crossing(r, r->now))
		return 0;
	if (w->may_order) {
		if (count_ordered(plan, step, t, node_ranks, part, r, err) <
			    0 ||
		    find_largest(t, part[GROUPS_BLOCK], &most, err) < 0)
			return -1;
		r->has_order = !w->by_topology &&
			       crossing(r, r->ordered) < crossing(r, r->now);
		switches = &r->ordered[GROUPS_SWITCH];
		/* --segment goes by Slurm's blocks alone. */
		if (!w->spares && r->known[GROUPS_BLOCK] && !t->enclosed)
			r->segment =
				find_segment(r, most, t->nnodes, node_ranks);
	}
	if (!r->known[GROUPS_BLOCK] && crossing_at(r, switches))
		r->switches = find_switches(r, switches, t, node_ranks,
					    w->may_order && !w->spares);
	return 0;
}
