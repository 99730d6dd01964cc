/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include <unistd.h>

void launch_show(struct launch *l)
{
	struct launch_view *v = &l->view;

	v->launch = l;
	v->config = &l->config;
	v->request = &l->request;
	v->plan = &l->plan;
	v->job = &l->job;
	v->npus = &l->npus;
	v->run_dir = &l->run_dir;
	v->rank_table = l->made.rank_table;
	v->program = l->program;
	v->timeline = &l->timeline;
	v->own_lines = &l->own_lines;
	v->loop = &l->loop;
	v->procs = &l->procs;
}

/* The plan's processes read it, and a service that is the user's program. */
static unsigned count_readers(const struct plan *plan)
{
	const struct service *service = &plan->service;

	return plan->nprocs + (service->here && !service->helper);
}

int launch_input(struct launch *l, struct err *err)
{
	unsigned n = count_readers(&l->plan);

	if (n == l->nreaders && l->input)
		return input_again(l->input, err);
	input_close(l->input);
	l->nreaders = n;
	return input_open(&l->loop, STDIN_FILENO, n, &l->input, err);
}

unsigned launch_count_procs(const struct launch *l)
{
	const struct plan *plan = &l->plan;

	return plan->nprocs + plan->service.here +
	       (plan->start_command != NULL) + node_tasks_others(plan);
}

void launch_tell_files(struct launch *l)
{
	host_files_tell(&l->made.host_files, &l->plan);
	if (l->plan.resolved.recorders && *l->run_dir.path)
		l->plan.files.recorders = l->run_dir.path;
}

int launch_plan_again(struct launch *l, struct err *err)
{
	const struct made_for_plan *made = &l->made;

	if (plan_make(&l->request, &l->config, &l->job, &l->plan, err) < 0)
		return -1;
	l->plan.rank_table = *made->rank_table ? made->rank_table : NULL;
	l->plan.secret = *made->secret ? made->secret : NULL;
	launch_tell_files(l);
	cert_files_tell(&made->cert_files, &l->plan);
	return 0;
}
