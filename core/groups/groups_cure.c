/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_cure.h"

#include "core/base/cleanup.h"
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

static unsigned crossing(const struct groups_report *r,
			 const struct groups_counts count[GROUPS_LEVELS])
{
	unsigned n = 0;

	for (unsigned k = 0; k < r->groups.n; k++)
		for (int i = 0; r->near >> k & 1 && i < GROUPS_LEVELS; i++)
			n += count[i].kind[k].ncross;
	return n;
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

/* Where each block has a multiple of N nodes, an order by blocks cuts the world
 * at multiples of N alone: groups that are within such a cut don't cross.
 * The N of all near kinds is that of the last one that crosses. */
static unsigned find_segment(const struct groups_report *r, unsigned most,
			     unsigned nnodes, const unsigned *node_ranks)
{
	unsigned span = 1, wanted = 0, n;

	for (unsigned k = 0; k < r->groups.n; k++) {
		span *= r->groups.kind[k].size;
		if (r->near >> k & 1 && r->ordered[GROUPS_BLOCK].kind[k].ncross)
			wanted = span;
	}
	for (unsigned i = 0; i < nnodes; i++)
		if (node_ranks[i] != node_ranks[0] || !node_ranks[0])
			return 0;
	n = wanted / node_ranks[0];
	if (!n || wanted % node_ranks[0] || nnodes % n || n == nnodes ||
	    most < n)
		return 0;
	return n;
}

/* What the step would have with its nodes in that order. */
static int count_ordered(const unsigned *order, const unsigned *node_ranks,
			 unsigned nnodes,
			 const unsigned *const part[GROUPS_LEVELS],
			 struct groups_report *r, struct err *err)
{
	cleanup_free unsigned *node = calloc(r->ranks.n, sizeof(*node));

	if (!node)
		return err_memory(err);
	reorder(order, node_ranks, nnodes, r->ranks.n, node);
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
	struct step_tasks tasks = {step->tasks, step->taskmap, step->ntasks,
				   plan->request};
	cleanup_free unsigned *order = NULL, *node_ranks = NULL;
	unsigned most = 0;

	if (!w->may_order || !crossing(r, r->now))
		return 0;
	order = step_order_nodes(t, &tasks, w, err);
	if (!order)
		return -1;
	node_ranks = ranks_of_nodes(&r->ranks, t->nnodes, w->spares);
	if (!node_ranks)
		return err_memory(err);
	if (count_ordered(order, node_ranks, t->nnodes, part, r, err) < 0 ||
	    find_largest(t, part[GROUPS_BLOCK], &most, err) < 0)
		return -1;
	r->has_order = !w->by_topology &&
		       crossing(r, r->ordered) < crossing(r, r->now);
	if (!w->spares && r->known[GROUPS_BLOCK])
		r->segment = find_segment(r, most, t->nnodes, node_ranks);
	return 0;
}
