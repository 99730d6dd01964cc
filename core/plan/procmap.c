/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where each process of the step runs: node, local rank and role of every
 * rank, by Slurm's layout of the tasks and the plan's rules for several
 * processes per task. Every node computes the same map. For frameworks that
 * list all processes (TF_CONFIG, Paddle, rank tables).
 */
#include "core/plan/procmap.h"

#include "core/base/hostlist.h"
#include "core/base/ip.h"
#include "core/base/runlength.h"
#include "core/base/text.h"
#include "core/facts/taskmap.h"
#include "core/plan/framework.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Task mode: each task is one process. */
static void fill_tasks(const struct plan *plan, const struct task_place *place,
		       struct rank_place *peer)
{
	for (unsigned i = 0; i < plan->world_size; i++)
		peer[i] = (struct rank_place){place[i].node, place[i].local,
					      plan->role, i};
}

/* Device mode: the launcher of each task starts several processes. `node` holds
 * the task's number until deal_roles() has run. */
static int fill_procs(const struct plan *plan, struct rank_place *peer)
{
	const struct request *r = plan->request;
	const char *list = plan->job->procs;
	unsigned long count = 0, repeat = 0;
	unsigned rank = 0;

	for (unsigned task = 0; task < plan->job->ntasks; task++) {
		if (roles_total(&plan->roles))
			count = roles_on_node(&plan->roles, task, plan->nnodes);
		else if (!plan->job->dealt &&
			 request_word(r, KEY_PROCS) == PROCS_N)
			count = (unsigned long)request_number(r, KEY_PROCS);
		else if (!repeat && runlength_next(&list, &count, &repeat) < 0)
			return -1;
		repeat -= repeat > 0;
		if (count > plan->world_size - rank)
			return -1;
		for (unsigned i = 0; i < count; i++, rank++)
			peer[rank] =
				(struct rank_place){task, i, plan->role, rank};
	}
	return rank == plan->world_size ? 0 : -1;
}

/* Roles are given from the end of each node; rank 0 keeps the first one. */
struct distribution {
	unsigned *left;	 /* by node: processes without a role of their own */
	unsigned *first; /* by node: where its ranks begin in `rank` */
	unsigned *rank;	 /* by node and local index */
	unsigned nnodes;
	struct rank_place *peer;
};

static bool give_rank(struct distribution *d, unsigned node, enum role role)
{
	unsigned keep = d->peer[0].node == node ? 1 : 0;

	if (d->left[node] <= keep)
		return false;
	d->peer[d->rank[d->first[node] + --d->left[node]]].role = role;
	return true;
}

/* Give the role to one process of each node in turn, starting with the node's
 * last process, until n have it. */
static void give_in_turn(struct distribution *d, enum role role, unsigned n)
{
	unsigned before = n + 1;

	while (n && n < before) {
		before = n;
		for (unsigned node = d->nnodes; n && node; node--)
			n -= give_rank(d, node - 1, role);
	}
}

static void count_nodes(struct distribution *d, unsigned n)
{
	unsigned before = 0;

	for (unsigned r = 0; r < n; r++)
		d->left[d->peer[r].node]++;
	for (unsigned i = 0; i < d->nnodes; i++) {
		d->first[i] = before;
		before += d->left[i];
	}
	for (unsigned r = 0; r < n; r++)
		d->rank[d->first[d->peer[r].node] + d->peer[r].local] = r;
}

static void number_roles(struct rank_place *peer, unsigned n)
{
	unsigned next[ROLE_COUNT] = {0};

	for (unsigned r = 0; r < n; r++)
		peer[r].index = next[peer[r].role]++;
}

static int deal_roles(const struct plan *plan, struct rank_place *peer,
		      struct err *err)
{
	unsigned n = plan->world_size;
	cleanup_free unsigned *left = calloc(plan->nnodes, sizeof(*left));
	cleanup_free unsigned *first = calloc(plan->nnodes, sizeof(*first));
	cleanup_free unsigned *rank = calloc(n, sizeof(*rank));
	struct distribution d = {left, first, rank, plan->nnodes, peer};

	if (!left || !first || !rank)
		return err_memory(err);
	count_nodes(&d, n);
	if (plan->roles.chief)
		peer[0].role = ROLE_CHIEF;
	give_in_turn(&d, ROLE_EVALUATOR, plan->roles.evaluator);
	give_in_turn(&d, ROLE_PS, plan->roles.ps);
	number_roles(peer, n);
	return 0;
}

/* Check that the map has this task where it really is: the other nodes rely on
 * the map. */
static int check_own(const struct plan *plan, const struct rank_place *peer,
		     struct err *err)
{
	const struct job *job = plan->job;
	const struct rank_place *own = &peer[plan->first_rank];
	unsigned local = job->localid;
	char name[HOSTLIST_NAME_MAX] = "";

	hostlist_nth(job->nodes, own->node, name);
	if (!strcmp(name, job->node_name) && own->local == local)
		return 0;
	return err_printf(
		err,
		"task %u should be on node %s as local task %u, but is on %s "
		"as local task %u; use --distribution=block, an order that "
		"every node knows",
		job->procid, name, own->local, job->node_name, job->localid);
}

int procmap_check_facts(const struct plan *plan, struct err *err)
{
	const struct job *job = plan->job;
	const char *name = plan->request->framework->name;
	unsigned n;

	if (job->het && !job->dealt)
		return err_printf(err,
				  "%s needs to know the node of each process, "
				  "which Slurm doesn't provide in a "
				  "heterogeneous step; use one component",
				  name);
	if (!job->nodes || !job->tasks)
		return err_printf(
			err,
			"SLURM_STEP_NODELIST or SLURM_STEP_TASKS_PER_NODE "
			"isn't set; %s needs to know the node of each process",
			name);
	if (hostlist_count(job->nodes, &n) == 0 && n == job->nnodes)
		return 0;
	return err_printf(err, "SLURM_STEP_NODELIST isn't a list of %u nodes",
			  job->nnodes);
}

static int fill_procmap(const struct plan *plan, struct rank_place *peer,
			struct err *err)
{
	const struct job *job = plan->job;
	cleanup_free struct task_place *place = NULL;

	place = taskmap_make(job->tasks, job->taskmap, job->ntasks, job->nnodes,
			     err);
	if (!place)
		return -1;
	if (!plan->resolved.device_mode)
		fill_tasks(plan, place, peer);
	else if (fill_procs(plan, peer) < 0)
		return err_printf(
			err,
			"the numbers of processes per node don't add up to %u",
			plan->world_size);
	if (roles_total(&plan->roles) && deal_roles(plan, peer, err) < 0)
		return -1;
	for (unsigned r = 0; plan->resolved.device_mode && r < plan->world_size;
	     r++) {
		peer[r].local += place[peer[r].node].local;
		peer[r].node = place[peer[r].node].node;
	}
	return plan->spare ? 0 : check_own(plan, peer, err);
}

struct rank_place *procmap_make(const struct plan *plan, struct err *err)
{
	struct rank_place *peer;

	if (procmap_check_facts(plan, err) < 0)
		return NULL;
	peer = calloc(plan->world_size, sizeof(*peer));
	if (!peer)
		return err_memory_null(err);
	if (fill_procmap(plan, peer, err) == 0)
		return peer;
	free(peer);
	return NULL;
}

void procmap_device_owner(const struct plan *plan,
			  const struct rank_place *peers, unsigned rank,
			  unsigned *ret_index, unsigned *ret_n)
{
	unsigned before = 0, n = 0;

	for (unsigned r = 0; r < plan->world_size; r++) {
		if (peers[r].node != peers[rank].node ||
		    !role_owns_devices(peers[r].role))
			continue;
		before += r < rank;
		n++;
	}
	if (!n && peers[rank].role == ROLE_CHIEF)
		n = 1;
	else if (!role_owns_devices(peers[rank].role))
		n = 0;
	*ret_index = before;
	*ret_n = n;
}

/* In recovery srun tells all addresses, wanted or not. */
static bool takes_addresses(const struct plan *plan)
{
	const struct resolved *w = &plan->resolved;

	return plan->job->addrs &&
	       (!w->recovery || w->addresses ||
		request_word(plan->request, KEY_ADDR) != ADDR_NAME);
}

char **procmap_hosts(const struct plan *plan, struct err *err)
{
	const struct job *job = plan->job;
	const char *list = takes_addresses(plan) ? job->addrs : job->nodes;
	char **hosts;

	if (plan->nnodes == 1) {
		list = plan->coordinator.addr;
	} else if (request_word(plan->request, KEY_ADDR) == ADDR_IP &&
		   !job->addrs) {
		err_printf(err, "the addresses of all nodes aren't known here; "
				"addr=name uses the nodes' names");
		return NULL;
	}
	hosts = hostnames_make(list, plan->nnodes);
	if (hosts)
		return hosts;
	err_printf(
		err,
		"the list of addresses doesn't have one for each of %u nodes",
		plan->nnodes);
	return NULL;
}

void procmap_free_hosts(char **hosts)
{
	hostnames_free(hosts);
}

int procmap_find(const struct plan *plan, struct procmap *ret, struct err *err)
{
	ret->peer = procmap_make(plan, err);
	ret->host = ret->peer ? procmap_hosts(plan, err) : NULL;
	return ret->host ? 0 : -1;
}

void procmap_clear(struct procmap *map)
{
	procmap_free_hosts(map->host);
	free(map->peer);
}

char *procmap_text(const struct plan *plan, const struct procmap *map,
		   const struct procmap_choice *choice, unsigned *ret_n,
		   struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	char endpoint[ENDPOINT_SIZE], *text;
	unsigned n = 0;

	for (unsigned r = choice->first; f && r < choice->end; r++) {
		const struct rank_place *p = &map->peer[r];
		const char *host = map->host[p->node];

		if (p->role != choice->role)
			continue;
		if (choice->ports)
			host = endpoint_format(host, plan_port(plan, p->local),
					       endpoint);
		fprintf(f, "%s%s", n++ ? "," : "", host);
	}
	text = text_stream_end(&stream, 0, err);
	if (text)
		*ret_n = n;
	return text;
}
