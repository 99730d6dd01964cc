/* SPDX-License-Identifier: Apache-2.0 */

#include "core/base/text.h"
#include "core/facts/taskmap.h"
#include "core/plan/framework.h"
#include "core/plan/procmap.h"

#include <stdio.h>
#include <stdlib.h>

/* --- the groups --- */

/* The numbers of groups that divide the nodes, as far as there is room. */
static void put_divisors(unsigned nnodes, char *buf, size_t size)
{
	buf[0] = '\0';
	for (unsigned n = 1; n <= nnodes; n++)
		if (nnodes % n == 0 &&
		    text_add(buf, (unsigned)size, ", ", "%u", n) < 0)
			return;
}

static int refuse_division(unsigned nnodes, unsigned n, struct err *err)
{
	char divisors[128];

	put_divisors(nnodes, divisors, sizeof(divisors));
	return err_printf(err,
			  "replicas=%u: the step's %u nodes can't be divided "
			  "into %u groups of the same size; numbers that "
			  "divide them: %s",
			  n, nnodes, n, divisors);
}

/* Of the ports of this round the second one: the first one of round 0 is the
 * service's, on the first group's first node too. */
static unsigned store_port(const struct plan *p, const struct config *config)
{
	const struct coordinator *c = &p->coordinator;
	const struct job *job = p->job;
	unsigned n, port;

	if (c->port_kind == PORT_ASKED)
		return c->port + 1;
	if (c->port_kind == PORT_DERIVED)
		return port_derived(job->job_id, job->step_id,
				    job->restart + job->round, p->nports,
				    config->port_min, config->port_max) +
		       1;
	n = port_reserved_count(job->resv_ports) - 1;
	return port_reserved(job->resv_ports, 1 + job->round % n, &port) == 0
		       ? port
		       : 0;
}

static int check_least(const struct world_wish *wish, unsigned ngroups,
		       struct err *err)
{
	if (wish->least <= ngroups)
		return 0;
	return err_printf(err,
			  "min-replicas=%u: the step has only %u replica "
			  "groups",
			  wish->least, ngroups);
}

int world_check(const struct request *r, struct err *err)
{
	struct world_wish wish;

	if (!r->framework->worlds)
		return 0;
	r->framework->worlds(r, &wish);
	return wish.groups ? check_least(&wish, wish.groups, err) : 0;
}

int world_plan(struct plan *p, const struct config *config, struct err *err)
{
	const struct request *r = p->request;
	struct world_wish wish;

	if (!r->framework->worlds)
		return 0;
	r->framework->worlds(r, &wish);
	p->nreplicas = wish.groups ? wish.groups : p->nnodes;
	p->min_replicas = wish.least;
	if (p->nnodes % p->nreplicas)
		return refuse_division(p->nnodes, p->nreplicas, err);
	if (check_least(&wish, p->nreplicas, err) < 0)
		return -1;
	p->replica_port = store_port(p, config);
	return 0;
}

unsigned *world_groups(const struct plan *plan, struct err *err)
{
	const struct job *job = plan->job;
	unsigned size = plan->nnodes / plan->nreplicas;
	cleanup_free struct task_place *place = NULL;
	unsigned *group;

	if (procmap_check_facts(plan, err) < 0)
		return NULL;
	place = taskmap_make(job->tasks, job->taskmap, job->ntasks, job->nnodes,
			     err);
	if (!place)
		return NULL;
	group = calloc(job->ntasks, sizeof(*group));
	if (!group)
		return err_memory_null(err);
	for (unsigned i = 0; i < job->ntasks; i++)
		group[i] = place[i].node / size;
	return group;
}

/* --- one process in its group --- */

/* Returns the node of the group's first rank. */
static unsigned count_group(const struct plan *plan,
			    const struct rank_place *peers, unsigned rank,
			    struct world *w)
{
	unsigned nodes = plan->nnodes / plan->nreplicas, first = 0;

	w->replica = peers[rank].node / nodes;
	w->nnodes = nodes;
	w->node_rank = peers[rank].node % nodes;
	for (unsigned i = 0; i < plan->world_size; i++) {
		if (peers[i].node / nodes != w->replica)
			continue;
		if (!w->size)
			first = peers[i].node;
		w->rank += i < rank;
		w->size++;
	}
	return first;
}

int world_of(const struct plan *plan, unsigned rank, struct world *ret,
	     struct err *err)
{
	cleanup_procmap struct procmap map;
	struct world w = {0};
	unsigned first;

	if (procmap_find(plan, &map, err) < 0)
		return -1;
	first = count_group(plan, map.peer, rank, &w);
	snprintf(w.addr, sizeof(w.addr), "%s", map.host[first]);
	*ret = w;
	return 0;
}

void world_view(const struct plan *plan, const struct process *p,
		struct plan *ret_plan, struct process *ret_process)
{
	const struct world *w = &p->world;
	struct plan view = *plan;
	struct process q = *p;

	view.world_size = w->size;
	view.first_rank = w->rank - (p->rank - plan->first_rank);
	view.node_rank = w->node_rank;
	view.nnodes = w->nnodes;
	view.coordinator.addr = w->addr;
	view.coordinator.addr_source = "the first node of the replica group";
	view.coordinator.port = plan->replica_port;
	q.rank = q.role_index = w->rank;
	*ret_plan = view;
	*ret_process = q;
}
