/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch_view.h"

#include "helpers/launch/launch.h"

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
	v->timeline = &l->timeline;
	v->loop = &l->loop;
	v->procs = &l->procs;
}

struct job launch_take_job(struct launch *l, const struct job *job)
{
	struct job before = l->job;

	l->job = *job;
	return before;
}

struct launch_view *launch_view(const struct launch *l)
{
	return (struct launch_view *)&l->view;
}
