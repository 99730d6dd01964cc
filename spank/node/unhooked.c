/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a task of srun --async, which has left when its step exists: what srun
 * would have found out or refused. Called by apply.c and learning.c.
 */
#include "spank/node/node.h"

#include "spank/slurm/step_job.h"

#include <stdlib.h>
#include <string.h>

/* Whether Slurm may have dealt out the tasks by its topology: since 26.05,
 * where it has one that isn't flat. */
static bool follows_topology(spank_t sp)
{
	const char *pattern = job_getenv(sp, "SLURM_TOPOLOGY_ADDR_PATTERN");

	return job_hasenv(sp, "SLURM_JOB_SLUID") && pattern &&
	       strcmp(pattern, "node") != 0;
}

void unhooked_ask_rank0(spank_t sp, struct job *job)
{
	struct srun_step step;
	char node[HOSTLIST_NAME_MAX], *copy;
	struct err ignored;

	if (!job->unhooked || job->nnodes == 1 || !follows_topology(sp) ||
	    job_of_srun(sp, &step, &ignored) < 0 ||
	    rank0_ask_node(&step, node, &ignored) < 0)
		return;
	copy = strdup(node);
	if (!copy)
		return;
	free(job->rank0_node);
	job->rank0_node = copy;
}

int unhooked_check_command(spank_t sp, const struct task *task,
			   const struct plan *plan, struct err *err)
{
	char **argv;
	int argc;

	if (!plan->job->unhooked)
		return 0;
	if (job_argv(sp, &argc, &argv, err) < 0)
		return -1;
	return task_command_check(task, plan, argv, err);
}
