/* SPDX-License-Identifier: Apache-2.0 */

#include "core/plan/dialect.h"
#include "core/plan/recovery.h"

/* A restart after a hang is one of the key restarts, or has a spare. */
static int check_hang(const struct plan *p, struct err *err)
{
	const struct hang *hang = &p->resolved.hang;

	if (!hang->seconds || hang->act != HANG_RESTART ||
	    request_number(p->request, KEY_RESTARTS) || p->resolved.recovery)
		return 0;
	return err_printf(err,
			  "hang=%ld:restart: the step has no restart; write "
			  "restarts=N, too, or hang=%ld:report",
			  hang->seconds, hang->seconds);
}

static int check_launcher(const struct plan *p, struct err *err)
{
	const struct resolved *w = &p->resolved;

	if (!w->no_launcher)
		return 0;
	if (p->serves)
		return err_printf(err,
				  "supervise=no: the process %s needs the "
				  "launcher",
				  role_name(p->service.role));
	if (w->launcher_why)
		return err_printf(err, "supervise=no: %s needs the launcher",
				  w->launcher_why);
	if (w->device_mode)
		return err_printf(err,
				  "supervise=no: one process per device "
				  "needs the launcher; procs=task doesn't");
	return 0;
}

static int check_restarts(const struct plan *p, struct err *err)
{
	const struct request *r = p->request;

	if (!request_number(r, KEY_RESTARTS))
		return 0;
	if (p->serves && !r->framework->worlds)
		return err_printf(err,
				  "restarts: not supported with %s: its %s "
				  "can't be restarted in place; sbatch "
				  "--requeue starts the whole job again",
				  r->framework->name,
				  role_name(p->service.role));
	if (r->form && r->form->start_command)
		return err_printf(
			err,
			"restarts: what a script starts can't be restarted in "
			"place; sbatch --requeue starts the whole job again");
	return 0;
}

int request_check_plan(const struct plan *plan, struct err *err)
{
	if (recovery_check(plan, err) < 0 || check_hang(plan, err) < 0 ||
	    check_launcher(plan, err) < 0)
		return -1;
	return check_restarts(plan, err);
}

/* The step that asks for the least: what its plan is refused, every step's is.
 * Two tasks of one node, each with a device. */
int request_check(const struct request *request, struct err *err)
{
	static char node[] = "node", each[] = "1(x2)";
	const struct framework *fw = request->framework;
	const struct job job = {
		.nnodes = 1,
		.ntasks = 2,
		.local_ntasks = 2,
		.node_name = node,
		.procs = each,
	};
	struct plan p = {
		.request = request,
		.job = &job,
		.role = fw->role,
		.nnodes = 1,
		.uniform = true,
		.nodes_procs = (unsigned)request_number(request, KEY_PROCS),
	};

	resolve(request, &job, &p.resolved);
	if (world_check(request, err) < 0)
		return -1;
	if (p.resolved.run_first && !fw->program_is_file)
		return plan_first(&p, err);
	p.serves = fw->service && fw->service(&p, &p.service);
	if (request_check_plan(&p, err) < 0)
		return -1;
	return fw->check ? fw->check(&p, err) : 0;
}
