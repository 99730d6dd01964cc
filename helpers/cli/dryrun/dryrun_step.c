/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/dryrun/dryrun_step.h"

#include "core/base/parse.h"
#include "core/base/runlength.h"
#include "core/facts/taskmap.h"

#include <stdlib.h>
#include <string.h>

#define NTASKS_MAX     10000000UL
#define NODE_TASKS_MAX 4096

/* node[1-N] */
static int name_nodes(long n, struct dryrun *e, struct err *err)
{
	int rc = n == 1 ? asprintf(&e->nodes, "node1")
			: asprintf(&e->nodes, "node[1-%ld]", n);

	if (rc < 0) {
		e->nodes = NULL;
		return err_memory(err);
	}
	e->nnodes = (unsigned)n;
	return 0;
}

/* As many nodes as a list of counts has. */
static long count_nodes(const struct dryrun_spec *spec)
{
	struct runlength counts;

	if (spec->tasks && runlength_read(spec->tasks, &counts) == 0 &&
	    counts.n > 1)
		return (long)counts.n;
	if (spec->devices && runlength_read(spec->devices, &counts) == 0)
		return (long)counts.n;
	return 1;
}

static int make_nodes(const struct dryrun_spec *spec, struct dryrun *e,
		      struct err *err)
{
	char shown[SHOW_SIZE];
	long n;

	if (!spec->nodes)
		return name_nodes(count_nodes(spec), e, err);
	if (parse_number(spec->nodes, 1, HOSTLIST_MAX, &n) == 0)
		return name_nodes(n, e, err);
	e->nodes = strdup(spec->nodes);
	if (!e->nodes)
		return err_memory(err);
	if (!parse_number(e->nodes, 0, 0, &n) ||
	    !is_word(e->nodes, "-_.,[]", (size_t)-1) ||
	    hostlist_count(e->nodes, &e->nnodes) < 0)
		return err_printf(err,
				  "--nodes=%s: must be a number of nodes or a "
				  "host list such as node[1-4]",
				  show(shown, spec->nodes));
	return 0;
}

/* The counts by node that `text` gives; one count is that of every node. */
static unsigned *make_counts(const char *name, const char *text,
			     unsigned nnodes, unsigned max, struct err *err)
{
	char shown[SHOW_SIZE];
	struct runlength counts;
	unsigned long before;
	unsigned *n;

	if (runlength_read(text, &counts) < 0 || counts.max > max) {
		err_printf(err,
			   "%s=%s: must be a number up to %u, or one number "
			   "per node such as 2,1,1",
			   name, show(shown, text), max);
		return NULL;
	}
	if (counts.n != 1 && counts.n != nnodes) {
		err_printf(err, "%s=%s: %u numbers for %u node%s", name,
			   show(shown, text), counts.n, nnodes,
			   nnodes == 1 ? "" : "s");
		return NULL;
	}
	n = calloc(nnodes, sizeof(*n));
	for (unsigned i = 0; n && i < nnodes; i++)
		runlength_at(text, counts.n == 1 ? 0 : i, &n[i], &before);
	if (!n)
		err_memory(err);
	return n;
}

static int count_tasks(struct dryrun *e, struct err *err)
{
	unsigned long total = 0;

	for (unsigned i = 0; i < e->nnodes; i++) {
		if (!e->tasks[i])
			return err_printf(err, "--tasks-per-node: each node of "
					       "a step has at least one task");
		if (e->tasks[i] > e->tasks_max)
			e->tasks_max = e->tasks[i];
		total += e->tasks[i];
	}
	if (total > NTASKS_MAX)
		return err_printf(err, "%lu tasks; at most %lu can be shown",
				  total, NTASKS_MAX);
	e->ntasks = (unsigned)total;
	return 0;
}

/* Slurm's block, cyclic and plane distribution of tasks over some nodes.
 * Returns how many tasks there are then. */
static unsigned deal_part(struct dryrun *e, const struct dryrun_part *p,
			  unsigned begin, unsigned n)
{
	unsigned end = begin + p->nnodes;
	unsigned each = p->plane ? p->plane : p->cyclic ? 1 : e->tasks_max;

	for (unsigned first = 0; first < e->tasks_max; first += each)
		for (unsigned i = begin; i < end; i++)
			for (unsigned t = first;
			     t - first < each && t < e->tasks[i]; t++)
				e->task[n++] = (struct dryrun_task){i, t};
	return n;
}

/* Each component of a heterogeneous step for itself. */
static int deal_parts(const struct dryrun_spec *spec, struct dryrun *e,
		      struct err *err)
{
	cleanup_free unsigned *first = calloc(e->ntasks, sizeof(*first));
	unsigned n = 0, node = 0;

	if (!first)
		return err_memory(err);
	for (unsigned i = 0; i < spec->nparts; i++) {
		unsigned begin = n;

		n = deal_part(e, &spec->part[i], node, n);
		for (unsigned t = begin; t < n; t++)
			first[t] = begin;
		node += spec->part[i].nnodes;
		e->wish[e->nparts++] = spec->part[i].wish;
	}
	e->firsts = runlength_text(first, e->ntasks);
	return e->firsts ? 0 : err_memory(err);
}

static int deal_tasks(const struct dryrun_spec *spec, struct dryrun *e,
		      struct err *err)
{
	struct dryrun_part all = {.nnodes = e->nnodes,
				  .cyclic = spec->cyclic,
				  .plane = spec->plane};

	e->task = calloc(e->ntasks, sizeof(*e->task));
	e->commas = malloc(e->tasks_max);
	if (!e->task || !e->commas)
		return err_memory(err);
	memset(e->commas, ',', e->tasks_max - 1);
	e->commas[e->tasks_max - 1] = '\0';
	if (spec->nparts)
		return deal_parts(spec, e, err);
	deal_part(e, &all, 0, 0);
	return 0;
}

/* Devices by task as srun counts them, "8(x2),4", where each node has one
 * task; in a heterogeneous step as the tasks tell each other. */
static int make_procs(struct dryrun *e, struct err *err)
{
	cleanup_free unsigned *devices = calloc(e->ntasks, sizeof(*devices));

	if (e->ntasks != e->nnodes && !e->firsts)
		return 0;
	if (!devices)
		return err_memory(err);
	for (unsigned t = 0; t < e->ntasks; t++)
		devices[t] = e->devices[e->firsts ? e->task[t].node : t];
	e->procs = runlength_text(devices, e->ntasks);
	return e->procs ? 0 : err_memory(err);
}

/* What a task finds in SLURM_STEP_TASKS_PER_NODE, and what srun hands over of
 * the distribution. */
static int describe_tasks(struct dryrun *e, struct err *err)
{
	cleanup_free unsigned *node = calloc(e->ntasks, sizeof(*node));

	e->tasks_text = runlength_text(e->tasks, e->nnodes);
	if (!node || !e->tasks_text)
		return err_memory(err);
	for (unsigned i = 0; i < e->ntasks; i++)
		node[i] = e->task[i].node;
	return taskmap_describe(node, e->ntasks, e->tasks_text, e->nnodes,
				&e->taskmap, err);
}

static int make_step(const struct dryrun_spec *spec, struct dryrun *e,
		     struct err *err)
{
	if (make_nodes(spec, e, err) < 0)
		return -1;
	e->tasks =
		make_counts("--tasks-per-node", spec->tasks ? spec->tasks : "1",
			    e->nnodes, NODE_TASKS_MAX, err);
	if (!e->tasks)
		return -1;
	e->devices =
		make_counts("--devices", spec->devices ? spec->devices : "0",
			    e->nnodes, IDLIST_MAX, err);
	if (!e->devices || count_tasks(e, err) < 0)
		return -1;
	if (deal_tasks(spec, e, err) < 0 || describe_tasks(e, err) < 0)
		return -1;
	return make_procs(e, err);
}

int dryrun_make(const struct dryrun_spec *spec, struct dryrun *ret,
		struct err *err)
{
	struct dryrun e = {
		.job_id = spec->job_id,
		.step_id = spec->step_id,
		.task_devices = spec->task_devices,
		.npu = spec->npu,
	};

	if (make_step(spec, &e, err) < 0) {
		dryrun_clear(&e);
		return -1;
	}
	*ret = e;
	return 0;
}

void dryrun_clear(struct dryrun *example)
{
	free(example->nodes);
	free(example->tasks);
	free(example->devices);
	free(example->task);
	free(example->procs);
	free(example->firsts);
	free(example->commas);
	free(example->tasks_text);
	free(example->taskmap);
	free(example->order);
	free(example->in_world);
	places_clear(&example->places);
	topology_clear(&example->topology);
	*example = (struct dryrun){0};
}
