/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"

#include "core/base/runlength.h"
#include "core/facts/places.h"
#include "core/facts/taskmap.h"
#include "core/plan/procmap.h"
#include "core/plan/recovery.h"
#include "core/plan/step_order.h"

#include <limits.h>
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

/* Fill the members for order=topology, --segment and --switches of a report
 * whose `now` is there. part[level] has the part of each node. Returns 0, or
 * -1: out of memory. */
static int groups_cure(const struct plan *plan, const struct job *step,
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

static int add_ranks(struct rank_nodes *r, unsigned node, unsigned long n,
		     struct err *err)
{
	unsigned *more;

	if (n > INT_MAX - r->n)
		return err_printf(err, "groups: too many ranks");
	more = realloc(r->node, (r->n + n + 1) * sizeof(*more));
	if (!more)
		return err_memory(err);
	r->node = more;
	while (n--)
		r->node[r->n++] = node;
	return 0;
}

/* The ranks are processes of the plan. */
static int add_processes(const struct plan *plan, struct rank_nodes *r,
			 struct err *err)
{
	cleanup_free struct rank_place *peer = procmap_make(plan, err);

	if (!peer || add_ranks(r, 0, plan->world_size, err) < 0)
		return -1;
	for (unsigned i = 0; i < r->n; i++)
		r->node[i] = peer[i].node;
	return 0;
}

/* The program starts the workers: node after node, in the order of the nodes'
 * first tasks, as the list of hosts has them. */
static int add_workers(const struct plan *plan, struct rank_nodes *r,
		       struct err *err)
{
	const struct job *job = plan->job;
	cleanup_free struct task_place *place = taskmap_make(
		job->tasks, job->taskmap, job->ntasks, job->nnodes, err);
	int rc = place ? 0 : -1;
	unsigned long before;
	unsigned n;

	for (unsigned t = 0; rc == 0 && t < job->ntasks; t++)
		if (!place[t].local &&
		    runlength_at(job->tasks, place[t].node, &n, &before) == 0)
			rc = add_ranks(r, place[t].node,
				       hostfile_slots(plan, t, n), err);
	return rc;
}

/* From places in the world to nodes of the step. */
static int number_nodes(const struct plan *plan, const struct job *step,
			struct rank_nodes *r, struct err *err)
{
	const struct resolved *w = &plan->resolved;
	struct places places;

	if (!w->recovery && !w->ordered)
		return 0;
	if (first_places(step, w->spares, &places, err) < 0)
		return -1;
	for (unsigned i = 0; i < r->n; i++)
		r->node[i] = places.node[r->node[i]];
	places_clear(&places);
	return 0;
}

/* `plan` is any task's, of the world's facts; `step` are those of which these
 * were made (core/plan/recovery.c). Where the program starts the workers
 * itself (torchrun, run-on=first) they count as ranks, node after node as the
 * list of hosts has them (core/plan/procmap.h). Fails where the facts don't
 * tell, and when out of memory. free(ret->node). */
static int rank_nodes_make(const struct plan *plan, const struct job *step,
			   struct rank_nodes *ret, struct err *err)
{
	const struct resolved *w = &plan->resolved;
	struct rank_nodes r = {.n = 0};
	bool workers = w->launches || w->run_first;
	int rc;

	if (step->nnodes == 1)
		rc = add_ranks(&r, 0,
			       workers ? hostfile_own_slots(plan)
				       : plan->world_size,
			       err);
	else
		rc = workers ? add_workers(plan, &r, err)
			     : add_processes(plan, &r, err);
	if (rc == 0 && step->nnodes > 1)
		rc = number_nodes(plan, step, &r, err);
	if (rc < 0)
		free(r.node);
	else
		*ret = r;
	return rc;
}

/* The part of each node at a level, for the caller to free. */
static unsigned *parts_of(const struct topology *t, enum groups_level level,
			  bool *ret_known)
{
	unsigned *part = calloc(t->nnodes + 1UL, sizeof(*part));

	*ret_known = false;
	for (unsigned i = 0; part && i < t->nnodes; i++) {
		part[i] = level == GROUPS_BLOCK ? topology_block(t, i)
						: topology_switch(t, i);
		if (part[i] == TOPOLOGY_NONE)
			part[i] = GROUPS_UNKNOWN;
		else
			*ret_known = true;
	}
	return part;
}

static int count_all(const struct plan *plan, const struct job *step,
		     const struct topology *t, struct groups_report *r,
		     struct err *err)
{
	cleanup_free unsigned *block =
		parts_of(t, GROUPS_BLOCK, &r->known[GROUPS_BLOCK]);
	cleanup_free unsigned *leaf =
		parts_of(t, GROUPS_SWITCH, &r->known[GROUPS_SWITCH]);
	const unsigned *part[GROUPS_LEVELS] = {block, leaf};

	if (!block || !leaf)
		return err_memory(err);
	/* Inside such a domain nothing goes by these switches. */
	if (t->enclosed)
		r->known[GROUPS_SWITCH] = false;
	for (int i = 0; i < GROUPS_LEVELS; i++)
		if (r->known[i])
			groups_count(&r->groups, r->ranks.node, r->ranks.n,
				     part[i], r->now[i].kind);
	return groups_cure(plan, step, t, part, r, err);
}

/* The ranks that groups divide: the world's, or those of a replica group. */
static int size_of_world(const struct plan *plan, unsigned nranks,
			 unsigned *ret, struct err *err)
{
	unsigned n = plan->nreplicas ? plan->nreplicas : 1;

	if (n > 1 && (!plan->uniform || plan->nnodes % n))
		return err_printf(err,
				  "groups: the %u replica groups have "
				  "different numbers of ranks; use as many "
				  "nodes in each",
				  n);
	*ret = nranks / n;
	return 0;
}

int groups_report_make(const struct plan *plan, const struct job *step,
		       const struct topology *t, struct groups_report *ret,
		       struct err *err)
{
	struct groups_report r = {.alone = step->nnodes == 1};
	const struct request *request = plan->request;
	unsigned size = 0;
	struct groups asked;
	int rc;

	groups_of(request, &asked);
	if (rank_nodes_make(plan, step, &r.ranks, err) < 0)
		return -1;
	rc = size_of_world(plan, r.ranks.n, &size, err);
	if (rc == 0)
		rc = groups_fit(&asked, size, &r.groups, err);
	if (rc == 0) {
		r.near = groups_near(&r.groups, size);
		r.strict = groups_strict(request, &r.groups, size);
	}
	if (rc == 0 && !r.alone && t->nnodes == step->nnodes)
		rc = count_all(plan, step, t, &r, err);
	if (rc == 0)
		*ret = r;
	else
		groups_report_clear(&r);
	return rc;
}

void groups_report_clear(struct groups_report *r)
{
	free(r->ranks.node);
	r->ranks.node = NULL;
}
