/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/dryrun/dryrun_groups.h"

#include "core/groups/groups_line.h"
#include "core/groups/groups_report.h"

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
