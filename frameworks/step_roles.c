/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several programs in one step, each a world of its own. The step's program is
 * a file of roles (core/roles/role_file.h); in its place one process runs on
 * each node, which starts the worlds there, so that a role's framework is
 * another one.
 */
#include "core/plan/framework.h"
#include "core/plan/plan.h"

/* Keys of a step that is one world, and what to write instead. */
static const struct {
	enum key_id key;
	const char *instead;
} refused[] = {
	{KEY_PROCS, "procs=N in a role's line says how many it has"},
	{KEY_RUN_ON, "run-on=first in a role's line does it there"},
	{KEY_DIALECT, "dialect= in a role's line does it there"},
	{KEY_RESTARTS, "restart=N in a role's line restarts its worlds"},
	{KEY_CODE, "code=freeze in a role's line keeps its program's files"},
	{KEY_HANG, "hang= in a role's line looks at its worlds"},
	{KEY_SPARES, "a node that is lost ends the step; requeue=node-loss "
		     "queues the job again"},
	{KEY_ORDER, "roles have nodes in Slurm's order"},
	{KEY_GROUPS, "the step isn't one world"},
};

static int roles_check(const struct plan *plan, struct err *err)
{
	const struct request *r = plan->request;

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (request_given(r, refused[i].key) &&
		    request_differs(r, refused[i].key))
			return err_printf(err, "roles has no %s: %s",
					  request_key(r, refused[i].key)->name,
					  refused[i].instead);
	if (plan->resolved.recovery)
		return err_printf(err, "roles can't replace a lost node, or go "
				       "on without it: on-node-loss=fail and "
				       "on-node-loss=requeue work");
	return 0;
}

static const char *roles_launcher_why(const struct request *request)
{
	(void)request;
	return "roles";
}

/* A role's framework has the variables. */
static int roles_env(const struct plan *plan, const struct process *p,
		     struct envset *set, struct err *err)
{
	(void)plan;
	(void)p;
	(void)set;
	(void)err;
	return 0;
}

const struct framework framework_roles = {
	.name = "roles",
	.summary = "several programs in one step, such as a trainer, servers "
		   "and a router: the program is a file with a line for each",
	.tested = "sh",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_COUNTS,
	.role = ROLE_LAUNCHER,
	.program_is_file = true,
	.launches = true,
	.launcher_why = roles_launcher_why,
	.check = roles_check,
	.env = roles_env,
};
