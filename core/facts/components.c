/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/components.h"

#include "core/base/parse.h"
#include "core/base/runlength.h"
#include "core/base/text.h"
#include "core/facts/taskmap.h"
#include "core/option/option.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Its tasks follow each other. */
struct component {
	unsigned number;	 /* in the step */
	unsigned begin, end;	 /* of its tasks */
	unsigned nnodes;	 /* where each has one task; else 0 */
	unsigned min, max;	 /* devices of a task */
	char devices[SHOW_SIZE]; /* by task, for messages */
};

/* What is known of the step's tasks. */
struct dealing {
	const struct job *job;
	struct task_place *place;
	unsigned *devices, *procs;  /* by task */
	unsigned *ntasks, *by_node; /* by node: tasks, processes */
	unsigned n;		    /* components */
};

static void dealing_clear(struct dealing *d)
{
	free(d->place);
	free(d->devices);
	free(d->procs);
	free(d->ntasks);
	free(d->by_node);
}

/* --- which component --- */

/* The next run of job->firsts, behind `begin` tasks. Its number is that of its
 * first task. */
static int next_component(const char **list, unsigned *begin, unsigned *end,
			  unsigned ntasks)
{
	unsigned long first, n;

	if (runlength_next(list, &first, &n) < 0 || first != *end || !n ||
	    n > ntasks - *end)
		return -1;
	*begin = *end;
	*end += (unsigned)n;
	return 0;
}

int component_of(const struct job *job, unsigned task, unsigned *ret,
		 unsigned *ret_n, struct err *err)
{
	const char *list = job->firsts ? job->firsts : "";
	unsigned begin = 0, end = 0, n = 0, number = 0;
	char shown[SHOW_SIZE];

	for (; end < job->ntasks; n++) {
		if (n == COMPONENTS_MAX ||
		    next_component(&list, &begin, &end, job->ntasks) < 0)
			return err_printf(err,
					  "%s aren't the first tasks of the "
					  "components of %u tasks",
					  show(shown, job->firsts),
					  job->ntasks);
		if (task >= begin && task < end)
			number = n;
	}
	*ret = number;
	*ret_n = n;
	return 0;
}

/* --- what each has --- */

static int read_devices(struct dealing *d, struct err *err)
{
	const char *list = d->job->procs;
	unsigned long count = 0, repeat = 0;

	for (unsigned t = 0; t < d->job->ntasks; t++, repeat--) {
		if (!repeat &&
		    (!list || runlength_next(&list, &count, &repeat) < 0))
			return err_printf(err, "the devices by task aren't a "
					       "list of them");
		d->devices[t] = count < INT_MAX ? (unsigned)count : INT_MAX;
	}
	return 0;
}

static int read_step(struct dealing *d, struct err *err)
{
	const struct job *job = d->job;

	d->place = taskmap_make(job->tasks, job->taskmap, job->ntasks,
				job->nnodes, err);
	if (!d->place)
		return -1;
	d->devices = calloc(job->ntasks, sizeof(*d->devices));
	d->procs = calloc(job->ntasks, sizeof(*d->procs));
	d->ntasks = calloc(job->nnodes, sizeof(*d->ntasks));
	d->by_node = calloc(job->nnodes, sizeof(*d->by_node));
	if (!d->devices || !d->procs || !d->ntasks || !d->by_node)
		return err_memory(err);
	for (unsigned t = 0; t < job->ntasks; t++)
		d->ntasks[d->place[t].node]++;
	return read_devices(d, err);
}

static void look(const struct dealing *d, struct component *c)
{
	size_t at = 0;

	c->min = UINT_MAX;
	c->max = 0;
	c->nnodes = c->end - c->begin;
	*c->devices = '\0';
	for (unsigned t = c->begin; t < c->end; t++) {
		unsigned n = d->devices[t];

		c->min = n < c->min ? n : c->min;
		c->max = n > c->max ? n : c->max;
		if (d->ntasks[d->place[t].node] != 1)
			c->nnodes = 0;
		if (at + 16 < sizeof(c->devices))
			at += (size_t)sprintf(c->devices + at, "%s%u",
					      at ? "," : "", n);
		else if (t + 1 == c->end)
			sprintf(c->devices + at, "...");
	}
}

/* --- what each gets --- */

static int refuse_tasks(const struct component *c,
			const struct component_wish *w, struct err *err)
{
	char what[32] = "procs=device";

	if (w->word == PROCS_N)
		snprintf(what, sizeof(what), "procs=%u", w->n);
	return err_printf(err,
			  "component %u: %s needs one task per node, but some "
			  "node there has more; use --ntasks-per-node=1",
			  c->number, what);
}

static int refuse_none(const struct component *c, struct err *err)
{
	return err_printf(err,
			  "component %u: one process per device, but some node "
			  "there has none (devices by node: %s); ask for them "
			  "with --gpus-per-node=N, or use procs=N or "
			  "procs=task for that component",
			  c->number, c->devices);
}

/* Whether its processes are by device. */
static bool by_device(const struct component *c, const struct component_wish *w)
{
	return w->word == PROCS_DEVICE ||
	       (w->word == PROCS_AUTO && c->nnodes && c->max > 1);
}

static int deal_component(struct dealing *d, const struct component *c,
			  const struct component_wish *w, struct err *err)
{
	bool device = by_device(c, w);
	unsigned same = w->word == PROCS_N ? w->n : 1;

	if ((device || w->word == PROCS_N) && !c->nnodes)
		return refuse_tasks(c, w, err);
	if (device && !c->min)
		return refuse_none(c, err);
	for (unsigned t = c->begin; t < c->end; t++)
		d->procs[t] = device ? d->devices[t] : same;
	return 0;
}

/* A component of CPUs in a world of devices. */
static void note_none(const struct component *c, const struct component_wish *w,
		      char *remark)
{
	if (*remark || w->word != PROCS_AUTO || c->max)
		return;
	snprintf(remark, COMPONENTS_REMARK_SIZE,
		 "component %u has no devices: each of its tasks is one "
		 "process of the world; procs=N in its own option changes that",
		 c->number);
}

static int deal_all(struct dealing *d, const struct component_wish *wish,
		    unsigned n, char *remark, struct err *err)
{
	const char *list = d->job->firsts;
	struct component c = {0};
	unsigned most = 0;

	for (; c.end < d->job->ntasks; c.number++) {
		const struct component_wish *w = &wish[n == 1 ? 0 : c.number];

		if (next_component(&list, &c.begin, &c.end, d->job->ntasks) < 0)
			return err_memory(err); /* it has been read above */
		look(d, &c);
		if (deal_component(d, &c, w, err) < 0)
			return -1;
		note_none(&c, w, remark);
		most = c.max > most ? c.max : most;
	}
	if (!most)
		*remark = '\0';
	return 0;
}

static int put_all(const struct dealing *d, struct job *job, struct err *err)
{
	unsigned long total = 0;
	char *procs, *by_node;

	for (unsigned t = 0; t < job->ntasks; t++) {
		d->by_node[d->place[t].node] += d->procs[t];
		total += d->procs[t];
	}
	if (total > INT_MAX)
		return err_printf(err, "%lu processes are too many", total);
	procs = runlength_text(d->procs, job->ntasks);
	by_node = runlength_text(d->by_node, job->nnodes);
	if (!procs || !by_node) {
		free(procs);
		free(by_node);
		return err_memory(err);
	}
	free(job->procs);
	free(job->node_procs);
	job->procs = procs;
	job->node_procs = by_node;
	job->dealt = true;
	return 0;
}

int components_deal(struct job *job, const struct component_wish *wish,
		    unsigned n, char remark[COMPONENTS_REMARK_SIZE],
		    struct err *err)
{
	__attribute__((cleanup(dealing_clear))) struct dealing d = {.job = job};
	unsigned unused;

	*remark = '\0';
	if (component_of(job, 0, &unused, &d.n, err) < 0)
		return -1;
	if (n != 1 && n != d.n)
		return err_printf(err,
				  "srun has told the options of %u components, "
				  "but the step has %u",
				  n, d.n);
	if (read_step(&d, err) < 0 || deal_all(&d, wish, n, remark, err) < 0)
		return -1;
	return put_all(&d, job, err);
}

/* --- for a process's own view --- */

char *components_own_ranks(const struct job *job)
{
	const char *at = job->gtids ? job->gtids : "";
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	int rc = f ? 0 : -1;
	char *text;

	for (unsigned n = 0; rc == 0 && *at; at += *at == ',') {
		unsigned long task, before;
		unsigned count;

		rc = digits_read(&at, UINT_MAX, &task);
		if (rc == 0)
			rc = runlength_at(job->procs, (unsigned)task, &count,
					  &before);
		for (unsigned i = 0; rc == 0 && i < count; i++)
			fprintf(f, "%s%lu", n++ ? "," : "", before + i);
	}
	text = text_stream_take(&stream);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}
