/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"

#include "core/base/runlength.h"
#include "core/facts/places.h"
#include "core/facts/taskmap.h"
#include "core/plan/procmap.h"
#include "core/plan/recovery.h"

#include <limits.h>
#include <stdlib.h>

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
