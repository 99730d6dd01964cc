/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/framework.h"

#include "core/facts/job.h"
#include "core/option/option.h"
#include "core/plan/dialect.h"

bool request_runs_first(const struct request *r)
{
	return request_word(r, KEY_RUN_ON) == RUN_ON_FIRST &&
	       !r->framework->once;
}

/* mpirun and its like start the workers: what workers need from Slurm is left
 * out. */
unsigned request_needs(const struct request *r)
{
	unsigned needs = r->framework->needs | (r->form ? r->form->needs : 0);

	if (request_runs_first(r))
		needs |= NEEDS_HOST_FILE;
	if (!(needs & NEEDS_HOST_FILE))
		return needs;
	needs &= ~(unsigned)(NEEDS_PMI | NEEDS_PROCMAP | NEEDS_ERROR_FILE);
	return needs | NEEDS_TASKMAP | NEEDS_COUNTS;
}

bool request_launches(const struct request *r)
{
	return r->framework->launches || (r->form && r->form->launches);
}

/* A key table=VERSION also means NPUs, where Slurm doesn't say what the devices
 * are. */
bool framework_has_npus(const struct request *r, const struct job *job)
{
	int table = request_word(r, KEY_TABLE);
	bool told = table != TABLE_AUTO && table != TABLE_NONE;

	return r->framework->npu ||
	       (r->framework->npu_too && (job->devices.npu || told));
}
