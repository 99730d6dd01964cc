/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/step_order.h"

#include "core/base/cleanup.h"
#include "core/facts/node_order.h"
#include "core/facts/taskmap.h"
#include "core/topology/topology_order.h"

#include <stdlib.h>

const char *step_order_no_effect(const struct request *r,
				 const struct resolved *w)
{
	if (w->by_topology || request_word(r, KEY_ORDER) != ORDER_TOPOLOGY)
		return NULL;
	return w->pmi ? "order=topology has no effect: the ranks are those of "
			"Slurm's PMI, in the order of its tasks"
		      : "order=topology has no effect: without a rank table "
			"the library numbers the ranks itself, by addresses";
}

/* The nodes in the order of their first tasks. */
static unsigned *nodes_by_task(const struct step_tasks *s, unsigned nnodes,
			       struct err *err)
{
	cleanup_free struct task_place *place =
		taskmap_make(s->tasks, s->taskmap, s->ntasks, nnodes, err);
	unsigned *node = place ? calloc(nnodes, sizeof(*node)) : NULL;
	unsigned n = 0;

	if (place && !node)
		err_memory(err);
	for (unsigned t = 0; node && t < s->ntasks; t++)
		if (place[t].local == 0)
			node[n++] = place[t].node;
	return node;
}

/* A block, or where there are none a leaf switch. */
static unsigned *domains_of(const struct topology *t)
{
	unsigned *domain = calloc(t->nnodes, sizeof(*domain));

	for (unsigned i = 0; domain && i < t->nnodes; i++)
		domain[i] = t->block_depth ? topology_block(t, i)
					   : topology_switch(t, i);
	return domain;
}

/* Whether the ranks are Slurm's in this order, too. */
static bool is_slurms(const unsigned *node, unsigned nnodes,
		      const struct step_tasks *step)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (node[i] != i)
			return false;
	return !step->taskmap;
}

unsigned *step_order_nodes(const struct topology *t,
			   const struct step_tasks *step,
			   const struct resolved *w, struct err *err)
{
	cleanup_free unsigned *slurm = nodes_by_task(step, t->nnodes, err);
	struct topology_wish wish = {.slurm = slurm};

	if (!slurm)
		return NULL;
	if (w->spares < t->nnodes)
		wish.nworld = t->nnodes - w->spares;
	return topology_order(t, &wish, err);
}

int step_order(const struct topology *t, const struct step_tasks *step,
	       const struct resolved *w, char **ret_order, struct err *err)
{
	cleanup_free unsigned *node = step_order_nodes(t, step, w, err);
	cleanup_free unsigned *domain = NULL;

	if (!node)
		return -1;
	*ret_order = NULL;
	/* Where nodes may be replaced, their blocks have to be known. */
	if (!w->recovery && is_slurms(node, t->nnodes, step))
		return 0;
	domain = domains_of(t);
	*ret_order = domain ? node_order_text(node, domain, t->nnodes) : NULL;
	return *ret_order ? 0 : err_memory(err);
}
