/* SPDX-License-Identifier: Apache-2.0 */
/* What the numbers of all ranks, and of two looks, say together. */
#include "core/facts/slowness.h"
#include "helpers/cli/status/step_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- order --- */

static int by_rank(const void *a, const void *b)
{
	return rank_order(a, b);
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct node_view *)a)->name,
			  ((const struct node_view *)b)->name);
}

/* Launchers of one node (several tasks) are one node. */
static void merge(struct node_view *to, const struct node_view *from)
{
	to->nprocs += from->nprocs;
	to->nranks += from->nranks;
	if (from->round > to->round)
		to->round = from->round;
}

static void sort_nodes(struct step_view *v)
{
	unsigned *is = calloc(v->n + 1, sizeof(*is)), n = 0;

	v->full |= !is;
	for (unsigned i = 0; i < v->n; i++)
		v->node[i].was = i;
	if (is && v->n)
		qsort(v->node, v->n, sizeof(*v->node), by_name);
	for (unsigned i = 0; is && i < v->n; i++) {
		unsigned was = v->node[i].was;

		if (n && !strcmp(v->node[n - 1].name, v->node[i].name))
			merge(&v->node[n - 1], &v->node[i]);
		else
			v->node[n++] = v->node[i];
		is[was] = n - 1;
	}
	for (unsigned i = 0; is && i < v->nranks; i++)
		v->rank[i].node = is[v->rank[i].node];
	v->n = is ? n : v->n;
	free(is);
}

/* --- two looks --- */

/* As many digits as were measured; NAN where nothing was. */
static double cpu_percent(double cpu_s, double s)
{
	return s > 0 ? round(1000 * cpu_s / s) / 10 : NAN;
}

/* Time without a write, as far as looks go back. */
static void note_writes(struct rank_view *r, const struct rank_view *was)
{
	if (r->value[FIGURE_WRITTEN] > was->value[FIGURE_WRITTEN])
		r->wrote_at_s = r->value[FIGURE_SEEN_AT];
	else
		r->wrote_at_s = was->wrote_at_s;
	if (!isnan(r->value[FIGURE_QUIET]))
		return;
	r->quiet_by_io = true;
	r->value[FIGURE_QUIET] = r->value[FIGURE_SEEN_AT] - r->wrote_at_s;
}

static void compare(struct rank_view *r, const struct step_view *before)
{
	const struct rank_view *was =
		before->nranks ? bsearch(r, before->rank, before->nranks,
					 sizeof(*r), by_rank)
			       : NULL;
	double s, used;

	r->value[FIGURE_CPU_MEAN] =
		cpu_percent(r->value[FIGURE_CPU_TIME], r->value[FIGURE_UP]);
	if (!was || was->value[FIGURE_PID] != r->value[FIGURE_PID] || r->ended)
		return;
	s = r->value[FIGURE_SEEN_AT] - was->value[FIGURE_SEEN_AT];
	used = r->value[FIGURE_CPU_TIME] - was->value[FIGURE_CPU_TIME];
	if (s > 0 && used >= 0)
		r->value[FIGURE_CPU] = cpu_percent(used, s);
	else if (s == 0)
		r->value[FIGURE_CPU] = was->value[FIGURE_CPU];
	note_writes(r, was);
}

/* --- slow ones --- */

/* Of the world that begins with that rank: those of another one do something
 * else. Returns where the next one begins. */
static unsigned compare_world(const struct pace_report *report, double *slower,
			      const struct step_view *v, unsigned first)
{
	unsigned i = first;

	while (i < v->nranks && v->rank[i].world == v->rank[first].world)
		i++;
	slowness(report + first, i - first, slower + first);
	return i;
}

static void note_slower(struct step_view *v)
{
	struct pace_report *report = calloc(v->nranks + 1, sizeof(*report));
	double *slower = calloc(v->nranks + 1, sizeof(*slower));

	for (unsigned i = 0; report && i < v->nranks; i++) {
		const struct rank_view *r = &v->rank[i];

		report[i].rate = r->ended ? NAN : r->value[FIGURE_RATE];
		report[i].busy = r->ended ? NAN : r->value[FIGURE_BUSY];
	}
	for (unsigned i = 0; report && slower && i < v->nranks;)
		i = compare_world(report, slower, v, i);
	for (unsigned i = 0; report && slower && i < v->nranks; i++)
		v->rank[i].value[FIGURE_SLOWER] = slower[i];
	free(report);
	free(slower);
}

/* The first of several. */
static void note_slowest(struct step_view *v)
{
	for (unsigned i = 0; i < v->n; i++)
		v->node[i].slowest = NO_RANK;
	for (unsigned i = 0; i < v->nranks; i++) {
		struct node_view *n = &v->node[v->rank[i].node];
		double slower = v->rank[i].value[FIGURE_SLOWER];

		if (!isnan(slower) &&
		    (n->slowest == NO_RANK ||
		     slower > v->rank[n->slowest].value[FIGURE_SLOWER]))
			n->slowest = i;
	}
}

void step_view_finish(struct step_view *v, const struct step_view *before)
{
	sort_nodes(v);
	if (v->nranks)
		qsort(v->rank, v->nranks, sizeof(*v->rank), by_rank);
	for (unsigned i = 0; i < v->nranks; i++)
		compare(&v->rank[i], before);
	note_slower(v);
	note_slowest(v);
}
