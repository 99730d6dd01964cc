/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/ask_order.h"

#include "core/base/cleanup.h"
#include "core/facts/node_order.h"
#include "core/facts/taskmap.h"
#include "core/topology/topology_order.h"
#include "core/topology/topology_read.h"
#include "spank/slurm/controller.h"
#include "sys/log.h"

#include <stdlib.h>

/* The nodes in the order of their first tasks. */
static unsigned *nodes_by_task(const struct step_procmap *p, unsigned nnodes,
			       unsigned ntasks, struct err *err)
{
	cleanup_free struct task_place *place =
		taskmap_make(p->tasks, p->taskmap, ntasks, nnodes, err);
	unsigned *node = place ? calloc(nnodes, sizeof(*node)) : NULL;
	unsigned n = 0;

	if (place && !node)
		err_memory(err);
	for (unsigned t = 0; node && t < ntasks; t++)
		if (place[t].local == 0 && n < nnodes)
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
		      const struct step_procmap *peers)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (node[i] != i)
			return false;
	return !peers->taskmap;
}

static int make_order(const struct topology *t, const struct resolved *w,
		      const struct step_procmap *peers, unsigned ntasks,
		      char **ret, struct err *err)
{
	cleanup_free unsigned *slurm =
		nodes_by_task(peers, t->nnodes, ntasks, err);
	struct topology_wish wish = {.slurm = slurm};
	cleanup_free unsigned *node = NULL, *domain = NULL;

	if (!slurm)
		return -1;
	if (w->spares < t->nnodes)
		wish.nworld = t->nnodes - w->spares;
	node = topology_order(t, &wish, err);
	if (!node)
		return -1;
	/* Where nodes may be replaced, their blocks have to be known. */
	if (!w->recovery && is_slurms(node, t->nnodes, peers))
		return 0;
	domain = domains_of(t);
	*ret = domain ? node_order_text(node, domain, t->nnodes) : NULL;
	return *ret ? 0 : err_memory(err);
}

static bool has_effect(const struct request *r, const struct resolved *w)
{
	if (w->by_topology)
		return true;
	if (request_word(r, KEY_ORDER) == ORDER_TOPOLOGY)
		log_line("order=topology has no effect: %s",
			 w->pmi ? "the ranks are those of Slurm's PMI, in the "
				  "order of its tasks"
				: "without a rank table the library numbers "
				  "the ranks itself, by addresses");
	return false;
}

int ask_order(const struct request *request, const struct resolved *w,
	      const struct step_procmap *peers, unsigned nnodes,
	      unsigned ntasks, char **ret_order, struct err *err)
{
	__attribute__((cleanup(topology_clear))) struct topology t = {0};
	cleanup_free char *text = NULL;

	*ret_order = NULL;
	if (!has_effect(request, w) || nnodes == 1)
		return 0;
	text = controller_topology(err);
	if (!text || topology_read(text, peers->nodes, &t, err) < 0)
		return -1;
	if (t.nnodes == nnodes && topology_is_known(&t))
		return make_order(&t, w, peers, ntasks, ret_order, err);
	log_line("order=topology: Slurm knows no switch and no block of these "
		 "nodes (scontrol show topology), so their order stays its "
		 "own");
	return 0;
}
