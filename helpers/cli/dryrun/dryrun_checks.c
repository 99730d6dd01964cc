/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/dryrun/dryrun_step.h"

#include "core/ascend/ranktable.h"
#include "core/plan/framework.h"

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

/* One address for each rank: its rules are about what only a driver knows. */
static int add_row(struct ranktable *table, const struct plan *plan,
		   unsigned index, unsigned device, enum chip chip,
		   struct err *err)
{
	unsigned rank = plan->first_rank + index;
	char ip[32];
	struct ranktable_row row = {
		.rank = rank,
		.device_id = device,
		.chip = chip,
		.node = plan->job->node_name,
		.server_id = plan->job->node_name,
		.device_ip = ip,
	};

	snprintf(ip, sizeof(ip), "10.%u.%u.%u", rank >> 16, rank >> 8 & 255,
		 rank & 255);
	if (ranktable_row_check(&row, err) < 0)
		return -1;
	return ranktable_add(table, &row, err);
}

static int check_task(struct dryrun_view *view, unsigned procid,
		      struct ranktable *table, enum chip chip, struct err *err)
{
	struct idlist devices;
	int rc = dryrun_view_task(view, procid, err);

	if (rc == 0)
		rc = plan_npus(&view->plan, &devices, err);
	for (unsigned i = 0; rc == 0 && i < view->plan.nprocs; i++)
		if (view->plan.resolved.table)
			rc = add_row(table, &view->plan, i, devices.id[i], chip,
				     err);
	return rc;
}

int dryrun_npus_check(struct dryrun_view *view, enum chip chip, struct err *err)
{
	enum ranktable_version version;
	struct ranktable table = {0};
	int rc = 0;

	if (!view->request->framework->npu)
		return 0;
	for (unsigned i = 0; rc == 0 && i < view->example->ntasks; i++)
		rc = check_task(view, i, &table, chip, err);
	if (rc == 0 && table.n)
		rc = ranktable_check(&table, RANKTABLE_AUTO, &version, err);
	ranktable_clear(&table);
	return rc < 0 ? -1 : dryrun_view_task(view, 0, err);
}
