/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several programs in one step, each a world of its own. The step's program is
 * a file of roles (core/roles/role_file.h); in its place one process runs on
 * each node, which starts the worlds there, so that a role's framework is
 * another one.
 */
#include "core/plan/framework.h"
#include "core/plan/plan.h"

static const struct {
	bool refused;
	const char *text;
} step_keys[KEY_COUNT] = {
#define STEP_KEY(id, is_refused, words) [KEY_##id] = {is_refused, words},
#include "frameworks/step_roles.def"
#undef STEP_KEY
};

static int refuse(const char *asked, const char *text, struct err *err)
{
	return err_printf(err, "roles has no %s: %s", asked, text);
}

static int roles_check(const struct plan *plan, struct err *err)
{
	const struct request *r = plan->request;

	for (enum key_id id = 0; id < KEY_COUNT; id++)
		if (step_keys[id].refused && request_given(r, id) &&
		    request_differs(r, id))
			return refuse(request_key(r, id)->name,
				      step_keys[id].text, err);
	if (request_given(r, KEY_ADDR) &&
	    request_word(r, KEY_ADDR) == ADDR_NAME)
		return refuse("addr=name",
			      "addr=name in a role's line is for its worlds",
			      err);
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
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_COUNTS,
	.role = ROLE_LAUNCHER,
	.program_is_file = true,
	.launches = true,
	.launcher_why = roles_launcher_why,
	.check = roles_check,
	.env = roles_env,
};
