/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "spank/node/node.h"

#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/facts/handover.h"
#include "spank/slurm/step_job.h"

#include <string.h>

void release_blame(spank_t sp, struct err *err)
{
	const char *srun = NULL;
	char node[HOSTLIST_NAME_MAX], shown[SHOW_SIZE];
	const struct err why = *err;

	if (job_was_handed_over(sp))
		srun = job_getenv(sp, HANDOVER_RELEASE);
	if (!srun || !strcmp(srun, PACKAGE_VERSION) ||
	    job_node_name(sp, node) < 0)
		return;
	err_printf(err, "%s has slurm-dist-train %s, srun has %.40s: %.700s",
		   node, PACKAGE_VERSION, show(shown, srun), why.text);
}
