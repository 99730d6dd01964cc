/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"

#include "core/base/cleanup.h"
#include "core/base/runlength.h"
#include "core/facts/places.h"
#include "core/facts/taskmap.h"
#include "core/plan/hostfile.h"
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

int rank_nodes_make(const struct plan *plan, const struct job *step,
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
