/* SPDX-License-Identifier: Apache-2.0 */

#include "core/base/runlength.h"
#include "core/base/text.h"
#include "core/plan/framework.h"
#include "core/plan/procmap.h"

#include <stdlib.h>

static struct role_wish wish_of(const struct request *r)
{
	struct role_wish wish;

	r->framework->roles(r, &wish);
	return wish;
}

int plan_roles_of_tasks(struct plan *p, struct err *err)
{
	struct role_wish wish = wish_of(p->request);

	return roles_of_tasks(&wish, p->job->ntasks, p->nnodes, &p->roles, err);
}

/* How many workers a node has when no number is asked for. */
static int workers_per_node(const struct plan *p, unsigned *ret,
			    struct err *err)
{
	const struct request *r = p->request;
	int procs = request_word(r, KEY_PROCS);
	struct runlength counts;

	*ret = procs == PROCS_N ? (unsigned)request_number(r, KEY_PROCS) : 1;
	if (procs != PROCS_DEVICE)
		return 0;
	if (!p->job->procs || runlength_read(p->job->procs, &counts) < 0 ||
	    !counts.uniform || !counts.max)
		return err_printf(
			err, "procs=device: one worker per device needs the "
			     "same number of devices on each node; workers=N "
			     "distributes N workers over the nodes");
	*ret = counts.max;
	return 0;
}

int plan_roles_of_nodes(struct plan *p, struct err *err)
{
	struct role_wish wish = wish_of(p->request);
	unsigned workers, before = 0, min;

	if (workers_per_node(p, &workers, err) < 0 ||
	    roles_of_nodes(&wish, p->nnodes, workers, &p->roles, err) < 0)
		return -1;
	p->nprocs = roles_on_node(&p->roles, p->job->procid, p->nnodes);
	min = p->nports = p->nprocs;
	for (unsigned node = 0; node < p->nnodes; node++) {
		unsigned n = roles_on_node(&p->roles, node, p->nnodes);

		before += node < p->job->procid ? n : 0;
		min = n < min ? n : min;
		p->nports = n > p->nports ? n : p->nports;
	}
	p->first_rank = before;
	p->world_size = (unsigned)roles_total(&p->roles);
	p->uniform = min == p->nports;
	return 0;
}

/* There are few runs: only the first and the last nodes have more. */
const char *plan_roles_by_task(const struct plan *p, char *buf, unsigned size)
{
	buf[0] = '\0';
	for (unsigned node = 0, run; node < p->nnodes; node += run) {
		unsigned n = roles_on_node(&p->roles, node, p->nnodes);

		for (run = 1; node + run < p->nnodes; run++)
			if (roles_on_node(&p->roles, node + run, p->nnodes) !=
			    n)
				break;
		if (text_add(buf, size, ",", run > 1 ? "%u(x%u)" : "%u", n,
			     run) < 0)
			return NULL;
	}
	return buf;
}

int plan_role_of(const struct plan *plan, struct process *p,
		 unsigned *ret_owner, unsigned *ret_owners, struct err *err)
{
	cleanup_free struct rank_place *peers = procmap_make(plan, err);

	if (!peers)
		return -1;
	p->role = peers[p->rank].role;
	p->role_index = peers[p->rank].index;
	p->service = role_is_service(p->role, plan->roles.chief > 0);
	procmap_device_owner(plan, peers, p->rank, ret_owner, ret_owners);
	return 0;
}
