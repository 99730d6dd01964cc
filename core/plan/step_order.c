/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/step_order.h"

#include "core/base/ip.h"
#include "core/facts/places.h"
#include "core/facts/taskmap.h"
#include "core/option/groups.h"
#include "core/plan/procmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Whether the tasks are in this order, those of a node in a row. */
static bool tasks_follow(const unsigned *node, unsigned nnodes,
			 const struct step_tasks *s)
{
	struct err ignored;
	cleanup_free struct task_place *place =
		taskmap_make(s->tasks, s->taskmap, s->ntasks, nnodes, &ignored);
	unsigned at = 0;

	if (!place)
		return false;
	for (unsigned t = 0; t < s->ntasks; t++) {
		if (place[t].node != node[at] && ++at == nnodes)
			return false;
		if (place[t].node != node[at])
			return false;
	}
	return true;
}

/* The ranks of each node; 0: they differ, or aren't known yet. Where ranks
 * aren't tasks the number is the user's, or that of devices, which nobody has
 * counted. */
static unsigned ranks_per_node(const struct step_tasks *s, unsigned nnodes,
			       const struct resolved *w)
{
	bool by_node = w->device_mode || w->launches || w->run_first;
	int procs = request_word(s->request, KEY_PROCS);

	if (by_node && procs == PROCS_N)
		return (unsigned)request_number(s->request, KEY_PROCS);
	if (by_node && procs != PROCS_TASK && s->ntasks == nnodes)
		return 0;
	return s->ntasks % nnodes ? 0 : s->ntasks / nnodes;
}

/* How many nodes have the groups of one kind, for all that are to stay near.
 * Groups that don't fit are refused later. */
static unsigned group_nodes(const struct step_tasks *s, unsigned nworld,
			    unsigned per_node, unsigned ret[GROUPS_MAX])
{
	unsigned size = nworld * per_node, span = 1, near, n = 0;
	struct groups asked, g;
	struct err ignored;

	groups_of(s->request, &asked);
	if (!asked.n || !per_node || groups_fit(&asked, size, &g, &ignored) < 0)
		return 0;
	near = groups_near(&g, size);
	for (unsigned i = 0; i < g.n; i++) {
		span *= g.kind[i].size;
		if (near >> i & 1 && span % per_node == 0)
			ret[n++] = span / per_node;
	}
	return n;
}

unsigned *step_order_nodes(const struct topology *t,
			   const struct step_tasks *step,
			   const struct resolved *w, struct err *err)
{
	cleanup_free unsigned *slurm = nodes_by_task(step, t->nnodes, err);
	struct topology_wish wish = {.slurm = slurm, .nworld = t->nnodes};
	unsigned group[GROUPS_MAX];

	if (!slurm)
		return NULL;
	if (w->spares < t->nnodes)
		wish.nworld -= w->spares;
	wish.ngroups = group_nodes(step, wish.nworld,
				   ranks_per_node(step, t->nnodes, w), group);
	wish.group = group;
	return topology_order(t, &wish, err);
}

int step_order(const struct topology *t, const struct step_tasks *step,
	       const struct resolved *w, char **ret_order, bool *ret_slurms,
	       struct err *err)
{
	cleanup_free unsigned *node = step_order_nodes(t, step, w, err);
	cleanup_free unsigned *domain = NULL;

	if (!node)
		return -1;
	*ret_order = NULL;
	*ret_slurms = step->taskmap && !w->recovery &&
		      tasks_follow(node, t->nnodes, step);
	/* Where nodes may be replaced, their blocks have to be known. */
	if (!w->recovery && is_slurms(node, t->nnodes, step))
		return 0;
	domain = domains_of(t);
	*ret_order = domain ? node_order_text(node, domain, t->nnodes) : NULL;
	return *ret_order ? 0 : err_memory(err);
}

/* Read all hosts as IP addresses; -1 if one is a name, whose order isn't
 * known. */
static int read_hosts(char *const host[], unsigned n, struct ip *ret)
{
	for (unsigned i = 0; i < n; i++)
		if (ip_parse(host[i], strlen(host[i]), &ret[i]) < 0)
			return -1;
	return 0;
}

/* The first rank whose predecessor (in Slurm's order) has a greater address, so
 * that the library's order differs; 0: none. */
static unsigned find_disorder(const struct rank_place *peer,
			      const struct ip *ip, unsigned n)
{
	for (unsigned r = 1; r < n; r++)
		if (ip_compare(&ip[peer[r - 1].node], &ip[peer[r].node]) > 0)
			return r;
	return 0;
}

static bool say_disorder(const struct procmap *map, unsigned rank, char *buf,
			 unsigned size)
{
	snprintf(
		buf, size,
		"table=none: the library orders processes by the addresses of "
		"their hosts, so its ranks differ from Slurm's: rank %u is on "
		"%s, rank %u on %s; order the nodes by address (SLURM_HOSTFILE "
		"with --distribution=arbitrary), or use a rank table",
		rank - 1, map->host[map->peer[rank - 1].node], rank,
		map->host[map->peer[rank].node]);
	return true;
}

bool chief_order_remark(const struct plan *plan, char *buf, unsigned size)
{
	cleanup_free struct ip *ip = calloc(plan->nnodes, sizeof(*ip));
	cleanup_procmap struct procmap map = {NULL, NULL};
	unsigned rank = 0;
	struct err err;

	if (ip && plan->nnodes > 1 && plan->job->addrs &&
	    procmap_find(plan, &map, &err) == 0 &&
	    read_hosts(map.host, plan->nnodes, ip) == 0)
		rank = find_disorder(map.peer, ip, plan->world_size);
	return rank && say_disorder(&map, rank, buf, size);
}
