/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/procmap.h"

#include "core/base/runlength.h"
#include "core/base/text.h"
#include "core/facts/taskmap.h"

#include <stdio.h>
#include <stdlib.h>

/* The number that the user has set, else the node's devices (if each node has
 * one task), else its tasks. */
static unsigned slots(const struct plan *plan, unsigned devices,
		      unsigned node_tasks)
{
	const struct request *r = plan->request;
	int procs = request_word(r, KEY_PROCS);

	if (procs == PROCS_N)
		return (unsigned)request_number(r, KEY_PROCS);
	if (request_given(r, KEY_PROCS) && procs == PROCS_TASK)
		return node_tasks;
	return devices && job_one_task_per_node(plan->job) ? devices
							   : node_tasks;
}

unsigned hostfile_own_slots(const struct plan *plan)
{
	if (plan->job->dealt)
		return hostfile_slots(plan, plan->job->procid,
				      plan->job->local_ntasks);
	return slots(plan, device_count(&plan->job->devices),
		     plan->job->local_ntasks);
}

unsigned hostfile_slots(const struct plan *plan, unsigned task,
			unsigned node_tasks)
{
	const struct job *job = plan->job;
	unsigned long before;
	unsigned n = 0;

	if (job->procs && runlength_at(job->procs, task, &n, &before) < 0)
		n = 0;
	if (job->dealt)
		return node_tasks > 1 ? node_tasks : n;
	return slots(plan, n, node_tasks);
}

static void count_tasks(const struct job *job, const struct task_place *place,
			unsigned *ntasks)
{
	for (unsigned t = 0; t < job->ntasks; t++)
		ntasks[place[t].node]++;
}

/* Sort the hosts by their first task; SLURM_STEP_NODELIST has its own order. */
static int fill_hosts(const struct plan *plan, const struct task_place *place,
		      char *const *host, unsigned *ntasks,
		      struct hostfile *nodes)
{
	for (unsigned t = 0; t < plan->job->ntasks; t++) {
		unsigned node = place[t].node;

		if (!ntasks[node])
			continue;
		nodes->host[nodes->n] = strdup(host[node]);
		if (!nodes->host[nodes->n])
			return -1;
		nodes->slots[nodes->n] = hostfile_slots(plan, t, ntasks[node]);
		nodes->total += nodes->slots[nodes->n++];
		ntasks[node] = 0;
	}
	return 0;
}

int hostfile_find(const struct plan *plan, struct hostfile *ret,
		  struct err *err)
{
	const struct job *job = plan->job;
	cleanup_free unsigned *ntasks = calloc(job->nnodes, sizeof(*ntasks));
	cleanup_free struct task_place *place = NULL;
	cleanup_hosts char **host = NULL;

	*ret = (struct hostfile){0};
	if (procmap_check_facts(plan, err) < 0)
		return -1;
	host = procmap_hosts(plan, err);
	place = host ? taskmap_make(job->tasks, job->taskmap, job->ntasks,
				    job->nnodes, err)
		     : NULL;
	if (!place)
		return -1;
	ret->host = calloc(job->nnodes + 1, sizeof(*ret->host));
	ret->slots = calloc(job->nnodes, sizeof(*ret->slots));
	if (!ntasks || !ret->host || !ret->slots)
		return err_memory(err);
	count_tasks(job, place, ntasks);
	return fill_hosts(plan, place, host, ntasks, ret) < 0 ? err_memory(err)
							      : 0;
}

void hostfile_clear(struct hostfile *nodes)
{
	procmap_free_hosts(nodes->host);
	free(nodes->slots);
	*nodes = (struct hostfile){0};
}

char *hostfile_text(const struct hostfile *nodes, const char *middle,
		    const char *between, struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (unsigned i = 0; f && i < nodes->n; i++) {
		fprintf(f, "%s%s", i ? between : "", nodes->host[i]);
		if (middle)
			fprintf(f, "%s%u", middle, nodes->slots[i]);
	}
	return text_stream_end(&stream, 0, err);
}
