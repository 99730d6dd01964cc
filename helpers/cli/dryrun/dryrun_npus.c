/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/dryrun/dryrun_step.h"

#include "core/ascend/ranktable.h"
#include "core/plan/framework.h"
#include "core/plan/plan_npus.h"

#include <stdio.h>

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
