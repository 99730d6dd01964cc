/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/plan/framework.h"

#include <stdio.h>

/* How many processes of a node share the CPUs of one task. */
static unsigned sharers(const struct plan *plan)
{
	const struct job *job = plan->job;

	if (plan->resolved.launches)
		return device_count(&job->devices);
	if (plan->resolved.device_mode)
		return plan->nprocs;
	return job->cpus_on_node && job->cpus_on_node < job->local_ntasks
		       ? job->local_ntasks
		       : 1;
}

/* What makes a step slow without a word. Only where Slurm has left CPUs of the
 * node to others. */
static bool cpus_remark(const struct plan *plan, char *buf, unsigned size)
{
	const struct job *job = plan->job;
	unsigned n = sharers(plan), cpus = job->cpus_bound;
	unsigned asked = job->cpus_per_task;

	if (!cpus || job->round)
		return false;
	if (asked > cpus)
		snprintf(buf, size,
			 "each task has %u of the %u CPUs that "
			 "--cpus-per-task=%u asked for: since Slurm 22.05 srun "
			 "doesn't take it from sbatch; write srun "
			 "--cpus-per-task=%u, or export SRUN_CPUS_PER_TASK=%u",
			 cpus, asked, asked, asked, asked);
	else if (job->cores && n > job->cores)
		snprintf(buf, size,
			 "the %u processes of a node share %u core%s; srun "
			 "--cpus-per-task=N (in a batch script sbatch's alone "
			 "isn't enough) gives them more",
			 n, job->cores, job->cores == 1 ? "" : "s");
	else if (!asked && job->cores == 1 && device_count(&job->devices))
		snprintf(buf, size,
			 "each process has 1 core for its threads and data "
			 "loaders; srun --cpus-per-task=N (in a batch script "
			 "sbatch's alone isn't enough) gives it more");
	else
		return false;
	return true;
}

static bool visible_remark(const struct plan *plan, char *buf, unsigned size)
{
	if (request_word(plan->request, KEY_VISIBLE) != VISIBLE_ONE ||
	    !request_given(plan->request, KEY_VISIBLE) || plan->job->imagined ||
	    device_count(&plan->job->devices))
		return false;
	snprintf(buf, size,
		 "visible=one has no effect: Slurm has given this step no "
		 "devices; ask for them, as with srun --gpus-per-node=N");
	return true;
}

static bool local_rank_remark(const struct plan *plan,
			      const struct process *process, char *buf,
			      unsigned size)
{
	unsigned seen = process->devices.nvisible;

	if (!plan->request->framework->local_rank || plan->node_rank != 0 ||
	    !seen || process->local_rank_shown != seen ||
	    plan->request->framework->takes_all)
		return false;
	snprintf(
		buf, size,
		"each process sees only %u device%s, so set_device(LOCAL_RANK) "
		"fails from local rank %u on; local-rank=device makes "
		"LOCAL_RANK the index of the process's own device",
		seen, seen == 1 ? "" : "s", seen);
	return true;
}

/* No process has both: that with the second one isn't the first. */
bool plan_remark(const struct plan *plan, const struct process *process,
		 char *buf, unsigned size)
{
	if (process->rank == 0 && !process->added)
		return cpus_remark(plan, buf, size) ||
		       visible_remark(plan, buf, size);
	return local_rank_remark(plan, process, buf, size);
}
