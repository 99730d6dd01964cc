/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/places.h"

#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/base/runlength.h"
#include "core/base/text.h"
#include "core/facts/taskmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is read of the step's lists. */
struct lists {
	char **node, **addr; /* by node number; addr may be NULL */
	unsigned *procs;     /* by node number, or NULL */
	unsigned device_max; /* the largest of `procs` */
	unsigned *tasks;     /* by node number */
};

static void lists_clear(struct lists *l)
{
	hostnames_free(l->node);
	hostnames_free(l->addr);
	free(l->procs);
	free(l->tasks);
}

static int read_tasks(const struct job *step, struct lists *l, struct err *err)
{
	const char *list = step->tasks;
	struct runlength counts;
	char shown[SHOW_SIZE];

	if (!step->nodes || !list)
		return err_printf(err, "SLURM_STEP_NODELIST or "
				       "SLURM_STEP_TASKS_PER_NODE isn't set");
	if (runlength_read(list, &counts) < 0 || counts.n != step->nnodes ||
	    counts.total != step->ntasks)
		return err_printf(err,
				  "SLURM_STEP_TASKS_PER_NODE=%s isn't a list "
				  "of %u tasks on %u nodes",
				  show(shown, list), step->ntasks,
				  step->nnodes);
	l->tasks = calloc(step->nnodes, sizeof(*l->tasks));
	if (!l->tasks)
		return err_memory(err);
	return runlength_expand(list, step->nnodes, l->tasks);
}

/* Processes by node, where srun has counted them by task. */
static int read_procs(const struct job *step, struct lists *l, struct err *err)
{
	cleanup_free struct task_place *task = NULL;
	cleanup_free unsigned *procs = NULL;

	if (!step->procs || step->ntasks != step->nnodes)
		return 0;
	task = taskmap_make(step->tasks, step->taskmap, step->ntasks,
			    step->nnodes, err);
	if (!task)
		return -1;
	l->procs = calloc(step->nnodes, sizeof(*l->procs));
	procs = calloc(step->ntasks, sizeof(*procs));
	if (!l->procs || !procs)
		return err_memory(err);
	if (runlength_expand(step->procs, step->ntasks, procs) < 0)
		return err_printf(err,
				  "the devices by node aren't a list of %u "
				  "counts",
				  step->ntasks);
	for (unsigned t = 0; t < step->ntasks; t++) {
		l->procs[task[t].node] = procs[t];
		if (procs[t] > l->device_max)
			l->device_max = procs[t];
	}
	return 0;
}

static int read_lists(const struct job *step, struct lists *l, struct err *err)
{
	char shown[SHOW_SIZE];

	if (read_tasks(step, l, err) < 0 || read_procs(step, l, err) < 0)
		return -1;
	l->node = hostnames_make(step->nodes, step->nnodes);
	if (!l->node)
		return err_printf(err,
				  "SLURM_STEP_NODELIST=%s isn't a list of %u "
				  "nodes",
				  show(shown, step->nodes), step->nnodes);
	if (!step->addrs)
		return 0;
	l->addr = hostnames_make(step->addrs, step->nnodes);
	if (!l->addr)
		return err_printf(err,
				  "the addresses %s aren't one for each of %u "
				  "nodes",
				  show(shown, step->addrs), step->nnodes);
	return 0;
}

/* --- a copy of what stays --- */

static int copy_text(const char *from, char **to, struct err *err)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? err_memory(err) : 0;
}

/* All numbers, and the texts but those that are the world's. */
static int copy_job(const struct job *step, struct job *job, struct err *err)
{
	const struct device_facts *from = &step->devices;
	struct device_facts *to = &job->devices;
	int rc = 0;

	*job = *step;
	job->profile = (struct profile){0};
	for (size_t i = 0; i < JOB_NFIELDS; i++) {
		char **text = job_field(job, &job_fields[i]);
		const char *own = job_fields[i].worlds ? NULL : *text;

		rc |= copy_text(own, text, err);
	}
	rc |= copy_text(from->step_visible, &to->step_visible, err);
	rc |= copy_text(from->task_visible, &to->task_visible, err);
	rc |= copy_text(from->npus_visible, &to->npus_visible, err);
	return rc < 0 ? -1 : profile_copy(&step->profile, &job->profile, err);
}

/* --- what is the world's --- */

static void put_numbers(const struct job *step, const struct lists *l,
			const struct places *places, struct job *job)
{
	unsigned before = 0;

	job->device_max = l->device_max;
	job->nnodes = places->n;
	job->nodeid = job->place = job->procid = PLACE_NONE;
	for (unsigned i = 0; i < places->n; i++) {
		if (places->node[i] == step->nodeid) {
			job->nodeid = job->place = i;
			job->procid = before + step->localid;
		}
		before += l->tasks[places->node[i]];
	}
	job->ntasks = before;
}

/* Addresses are looked at one by one: they aren't folded. */
static char *join(char *const *text, unsigned n)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (unsigned i = 0; f && i < n; i++)
		fprintf(f, "%s%s", i ? "," : "", text[i]);
	return text_stream_take(&stream);
}

/* The texts of `all` by place, which borrows them; for the caller to free. */
static char **by_place(char *const *all, const struct places *places)
{
	char **text = calloc(places->n, sizeof(*text));

	for (unsigned i = 0; text && i < places->n; i++)
		text[i] = all[places->node[i]];
	return text;
}

static int put_nodes(const struct lists *l, const struct places *places,
		     struct job *job, struct err *err)
{
	cleanup_free char **name = by_place(l->node, places);
	cleanup_free char **addr = l->addr ? by_place(l->addr, places) : NULL;

	if (!name || (l->addr && !addr))
		return err_memory(err);
	job->nodes = hostnames_text(name, places->n);
	job->rank0_node = strdup(name[0]);
	if (addr) {
		job->addrs = join(addr, places->n);
		job->rank0_addr = strdup(addr[0]);
	}
	return job->nodes && job->rank0_node &&
			       (!addr || (job->addrs && job->rank0_addr))
		       ? 0
		       : err_memory(err);
}

/* The address by which srun knows rank 0's node is the best one while it is
 * the same node, and the only one where srun didn't tell all. */
static int put_rank0(const struct job *step, struct job *job, struct err *err)
{
	if (!step->rank0_addr || !step->rank0_node ||
	    strcmp(step->rank0_node, job->rank0_node) != 0)
		return 0;
	free(job->rank0_addr);
	return copy_text(step->rank0_addr, &job->rank0_addr, err);
}

static int put_counts(const struct lists *l, const struct places *places,
		      struct job *job, struct err *err)
{
	cleanup_free unsigned *count = calloc(places->n, sizeof(*count));

	if (!count)
		return err_memory(err);
	for (unsigned i = 0; i < places->n; i++)
		count[i] = l->tasks[places->node[i]];
	job->tasks = runlength_text(count, places->n);
	if (!job->tasks)
		return err_memory(err);
	if (!l->procs)
		return 0;
	for (unsigned i = 0; i < places->n; i++)
		count[i] = l->procs[places->node[i]];
	job->procs = runlength_text(count, places->n);
	return job->procs ? 0 : err_memory(err);
}

static int check_places(const struct job *step, const struct places *places,
			struct err *err)
{
	for (unsigned i = 0; i < places->n; i++)
		if (places->node[i] >= step->nnodes)
			return err_printf(err,
					  "place %u is node %u of a step of %u "
					  "nodes",
					  i, places->node[i], step->nnodes);
	return places->n ? 0 : err_printf(err, "a world without nodes");
}

int job_world(const struct job *step, const struct places *places,
	      struct job *ret, struct err *err)
{
	__attribute__((cleanup(lists_clear))) struct lists lists = {0};
	struct job job;
	int rc;

	if (check_places(step, places, err) < 0 ||
	    read_lists(step, &lists, err) < 0)
		return -1;
	rc = copy_job(step, &job, err);
	put_numbers(step, &lists, places, &job);
	if (rc < 0 || put_nodes(&lists, places, &job, err) < 0 ||
	    put_rank0(step, &job, err) < 0 ||
	    put_counts(&lists, places, &job, err) < 0) {
		job_clear(&job);
		return -1;
	}
	*ret = job;
	return 0;
}
