/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/dryrun/dryrun_step.h"

#include "core/groups/groups_report.h"

#include <stdlib.h>

int dryrun_groups_count(const struct dryrun_view *view,
			struct groups_report *ret, struct err *err)
{
	const struct dryrun *e = view->example;
	struct job step;
	int rc;

	*ret = (struct groups_report){.alone = true};
	if (!view->plan.resolved.groups)
		return 0;
	if (dryrun_job(e, 0, &step, err) < 0)
		return -1;
	rc = groups_report_make(&view->plan, &step, &e->topology, ret, err);
	job_clear(&step);
	return rc;
}

int dryrun_groups_check(const struct dryrun_view *view, struct err *err)
{
	__attribute__((cleanup(groups_report_clear))) struct groups_report r;

	if (dryrun_groups_count(view, &r, err) < 0)
		return -1;
	return view->example->topology.nnodes
		       ? groups_check(&r, view->example->nodes, err)
		       : 0;
}

int dryrun_groups_mark(const struct dryrun_view *view,
		       struct dryrun_groups *ret, struct err *err)
{
	struct dryrun_groups g = {.mark = NULL};

	if (dryrun_groups_count(view, &g.report, err) < 0)
		return -1;
	if (!g.report.alone) {
		g.mark = groups_mark(&g.report, &view->example->topology, err);
		if (!g.mark) {
			dryrun_groups_clear(&g);
			return -1;
		}
	}
	*ret = g;
	return 0;
}

void dryrun_groups_clear(struct dryrun_groups *g)
{
	groups_report_clear(&g->report);
	free(g->mark);
	g->mark = NULL;
}

unsigned dryrun_groups_of(const struct dryrun_groups *g, unsigned rank,
			  unsigned node)
{
	const struct rank_nodes *r = &g->report.ranks;

	return g->mark && rank < r->n && r->node[rank] == node ? g->mark[rank]
							       : 0;
}
