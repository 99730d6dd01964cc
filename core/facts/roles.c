/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/roles.h"

#include <limits.h>

const char *role_name(enum role role)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_WORKER] = "worker",
		[ROLE_LAUNCHER] = "launcher",
		[ROLE_CHIEF] = "chief",
		[ROLE_PS] = "ps",
		[ROLE_EVALUATOR] = "evaluator",
		[ROLE_SCHEDULER] = "scheduler",
		[ROLE_HEAD] = "head",
		[ROLE_STORE] = "store",
		[ROLE_TRACKER] = "tracker",
		[ROLE_LIGHTHOUSE] = "lighthouse",
	};

	return names[role];
}

bool role_is_service(enum role role, bool has_chief)
{
	return role == ROLE_PS || role == ROLE_SCHEDULER ||
	       (role == ROLE_WORKER && has_chief);
}

bool role_owns_devices(enum role role)
{
	return role == ROLE_WORKER || role == ROLE_LAUNCHER ||
	       role == ROLE_EVALUATOR || role == ROLE_HEAD;
}

unsigned long roles_total(const struct roles *r)
{
	return (unsigned long)r->chief + r->workers + r->ps + r->evaluator;
}

/* Refuse a number of tasks that differs from the number of processes. */
static int refuse_tasks(const struct roles *r, const char *than,
			unsigned ntasks, struct err *err)
{
	return err_printf(err,
			  "%u task%s for %lu processes%s (chief %u, workers "
			  "%u, ps %u, evaluator %u); use -n %lu",
			  ntasks, ntasks == 1 ? "" : "s", roles_total(r), than,
			  r->chief, r->workers, r->ps, r->evaluator,
			  roles_total(r));
}

int roles_of_tasks(const struct role_wish *wish, unsigned ntasks,
		   unsigned nnodes, struct roles *ret, struct err *err)
{
	struct roles r = {.chief = wish->chief, .evaluator = wish->evaluator};
	unsigned long rest;

	r.workers = wish->workers == ROLES_AUTO ? 1 : (unsigned)wish->workers;
	r.ps = wish->ps == ROLES_AUTO ? 0 : (unsigned)wish->ps;
	if (wish->ps == ROLES_AUTO && wish->workers == ROLES_AUTO)
		r.ps = nnodes;
	if (roles_total(&r) > ntasks)
		return refuse_tasks(
			&r, wish->workers == ROLES_AUTO ? " or more" : "",
			ntasks, err);
	rest = ntasks - roles_total(&r);
	if (wish->workers == ROLES_AUTO)
		r.workers += (unsigned)rest;
	else if (wish->ps == ROLES_AUTO)
		r.ps += (unsigned)rest;
	else if (rest)
		return refuse_tasks(&r, "", ntasks, err);
	*ret = r;
	return 0;
}

int roles_of_nodes(const struct role_wish *wish, unsigned nnodes,
		   unsigned workers_per_node, struct roles *ret,
		   struct err *err)
{
	unsigned long workers = (unsigned long)nnodes * workers_per_node;
	struct roles r = {.chief = wish->chief, .evaluator = wish->evaluator};

	if (wish->workers != ROLES_AUTO)
		workers = (unsigned long)wish->workers;
	r.ps = wish->ps == ROLES_AUTO ? nnodes : (unsigned)wish->ps;
	r.workers = (unsigned)workers;
	if (workers > INT_MAX || roles_total(&r) > INT_MAX)
		return err_printf(err, "%lu workers: too many processes",
				  workers);
	for (unsigned node = 0; node < nnodes; node++)
		if (!roles_on_node(&r, node, nnodes))
			return err_printf(
				err,
				"%lu processes (chief %u, workers %u, ps %u, "
				"evaluator %u) leave some of %u nodes empty; "
				"use fewer nodes (-N), or procs=task, where "
				"each task has one role",
				roles_total(&r), r.chief, r.workers, r.ps,
				r.evaluator, nnodes);
	*ret = r;
	return 0;
}

unsigned roles_on_node(const struct roles *r, unsigned node, unsigned nnodes)
{
	bool more_workers = node < r->workers % nnodes;
	bool more_ps = node >= nnodes - r->ps % nnodes;

	return r->workers / nnodes + more_workers + r->ps / nnodes + more_ps +
	       (node == 0 ? r->chief : 0) +
	       (node + 1 == nnodes ? r->evaluator : 0);
}
