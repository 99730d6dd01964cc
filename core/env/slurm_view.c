/* SPDX-License-Identifier: Apache-2.0 */
#include "core/env/process_env.h"

#include "core/base/cleanup.h"
#include "core/base/text_stream.h"
#include "core/facts/components.h"
#include "core/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

static const char source[] = "rewritten for this process";

struct number {
	const char *name;
	unsigned value;
};

static int add_numbers(const struct number *number, size_t n,
		       struct envset *set, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (envset_add(set, ENV_OURS, source, err, number[i].name, "%u",
			       number[i].value) < 0)
			return -1;
	return 0;
}

static int view_of_process(const struct plan *plan, const struct process *p,
			   const char *per_node, struct envset *set,
			   struct err *err)
{
	const struct number numbers[] = {
		{"SLURM_PROCID", p->rank},
		{"SLURM_LOCALID", p->local_rank},
		{"SLURM_NTASKS", plan->world_size},
		{"SLURM_NPROCS", plan->world_size},
		{"SLURM_STEP_NUM_TASKS", plan->world_size},
		{"SLURM_NTASKS_PER_NODE", plan->nodes_procs},
	};
	size_t n = sizeof(numbers) / sizeof(*numbers);

	if (add_numbers(numbers, plan->uniform ? n : n - 1, set, err) < 0 ||
	    (!plan->uniform &&
	     envset_unset(set, ENV_OURS, source, err, numbers[n - 1].name) < 0))
		return -1;
	if (!per_node)
		return 0;
	return envset_add(set, ENV_OURS, source, err,
			  "SLURM_STEP_TASKS_PER_NODE", "%s", per_node);
}

/* The ranks of this node, "4,5,6,7". */
static char *own_ranks(const struct plan *plan, const struct process *p)
{
	unsigned first = p->rank - p->local_rank;
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (unsigned i = 0; f && i < plan->nodes_procs; i++)
		fprintf(f, "%s%u", i ? "," : "", first + i);
	return text_stream_take(&stream);
}

/* The nodes of the world, in its order; in recovery they are fewer than the
 * step's. Those of a heterogeneous step are in the order of SLURM_NODEID, which
 * Slurm's own list isn't. SLURM_JOB_NODELIST stays the job's, as in a step on
 * some of its nodes; SLURM_JOB_NUM_NODES is another name of SLURM_NNODES, which
 * programs multiply with the tasks per node. */
static int view_of_nodes(const struct plan *plan, const struct process *p,
			 const char *per_node, struct envset *set,
			 struct err *err)
{
	const struct number numbers[] = {
		{"SLURM_NNODES", plan->nnodes},
		{"SLURM_JOB_NUM_NODES", plan->nnodes},
		{"SLURM_STEP_NUM_NODES", plan->nnodes},
		{"SLURM_NODEID", plan->node_rank},
	};
	size_t all = sizeof(numbers) / sizeof(*numbers);
	size_t n = plan->resolved.recovery ? all : 1;
	cleanup_free char *ranks = plan->job->dealt
					   ? components_own_ranks(plan->job)
					   : own_ranks(plan, p);
	const struct {
		const char *name, *value;
	} texts[] = {
		{"SLURM_NODELIST", plan->job->nodes},
		{"SLURM_STEP_NODELIST", plan->job->nodes},
		{"SLURM_TASKS_PER_NODE", per_node},
		{"SLURM_GTIDS", ranks},
	};

	if (!ranks)
		return err_memory(err);
	if (add_numbers(numbers + all - n, n, set, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].value &&
		    envset_add(set, ENV_OURS, source, err, texts[i].name, "%s",
			       texts[i].value) < 0)
			return -1;
	return 0;
}

int slurm_view(const struct plan *plan, const struct process *p,
	       struct envset *set, struct err *err)
{
	const struct resolved *w = &plan->resolved;
	char by_task[512];
	const char *per_node;
	bool world = w->recovery || w->ordered ||
		     (w->device_mode && plan->job->dealt);

	if (p->added || (!w->device_mode && !world))
		return 0;
	per_node = w->device_mode
			   ? plan_procs_by_task(plan, by_task, sizeof(by_task))
			   : plan->job->tasks;
	if (view_of_process(plan, p, per_node, set, err) < 0)
		return -1;
	return world ? view_of_nodes(plan, p, per_node, set, err) : 0;
}
