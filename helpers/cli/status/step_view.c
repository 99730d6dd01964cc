/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/step_view.h"

#include "core/base/array.h"
#include "core/base/parse.h"
#include "core/facts/rows.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX (1U << 20)

void step_view_clear(struct step_view *v)
{
	free(v->rank);
	free(v->node);
	free(v->away);
	free(v->silent);
	*v = (struct step_view){0};
}

/* One more, all 0, of the array whose address is at `array`. NULL: out of
 * memory. */
static void *append(struct step_view *v, void *array, unsigned *n, size_t size)
{
	void *item = *n < RANKS_MAX ? array_append(array, *n, size) : NULL;

	v->full |= !item;
	*n += item != NULL;
	return item;
}

/* --- fields --- */

static unsigned whole(const char *field)
{
	long n;

	return parse_number(field, 0, UINT_MAX, &n) == 0 ? (unsigned)n : 0;
}

/* What isn't told is "" or negative. */
static double number(const char *field)
{
	char *end;
	double n = strtod(field, &end);

	return end == field || *end || !isfinite(n) || n < 0 ? NAN : n;
}

/* A loss may be negative. */
static double any_number(const char *field)
{
	char *end;
	double n = strtod(field, &end);

	return end == field || *end ? NAN : n;
}

/* --- rows --- */

static struct rank_view *find(struct step_view *v, unsigned node,
			      const char *field)
{
	unsigned rank = whole(field);

	for (unsigned i = v->nranks; i > 0 && v->rank[i - 1].node == node; i--)
		if (v->rank[i - 1].rank == rank)
			return &v->rank[i - 1];
	return NULL;
}

static void on_step(struct step_view *v, unsigned node, char *const field[])
{
	(void)node;
	v->world_size = whole(field[1]);
	v->nnodes = whole(field[2]);
	v->requeues = whole(field[3]);
}

static void on_away(struct step_view *v, unsigned node, char *const field[])
{
	struct node_view *away =
		append(v, &v->away, &v->naway, sizeof(*v->away));

	(void)node;
	if (away)
		snprintf(away->name, sizeof(away->name), "%s", field[1]);
}

static void on_node(struct step_view *v, unsigned node, char *const field[])
{
	v->node[node].round = whole(field[1]);
	v->node[node].spare = whole(field[2]);
	v->node[node].nprocs = whole(field[3]);
	if (v->node[node].round > v->round)
		v->round = v->node[node].round;
}

static void on_rank(struct step_view *v, unsigned node, char *const field[])
{
	struct rank_view *r = append(v, &v->rank, &v->nranks, sizeof(*r));

	if (!r)
		return;
	*r = (struct rank_view){
		.rank = whole(field[1]),
		.node = node,
		.pid = (long)whole(field[2]),
		.up_s = number(field[3]) / 1000,
		.ended = whole(field[4]),
		.code = (int)whole(field[5]),
		.quiet_s = number(field[6]) / 1000,
		.state = '?',
		.nprocs = NAN,
		.cpu = NAN,
		.cpu_mean = NAN,
		.cpu_s = NAN,
		.memory = NAN,
		.device_used = NAN,
		.device_size = NAN,
		.device_use = NAN,
		.percent = NAN,
		.remaining_s = NAN,
		.step = NAN,
		.rate = NAN,
		.loss = NAN,
		.report_age_s = NAN,
		.busy = NAN,
		.slower = NAN,
		.at_s = NAN,
		.written = NAN,
		.wrote_at_s = NAN,
	};
	if (r->ended)
		r->state = 'E';
	v->node[node].nranks++;
}

static void on_use(struct step_view *v, unsigned node, char *const field[])
{
	struct rank_view *r = find(v, node, field[1]);

	if (!r || r->ended || r->pid != (long)whole(field[2]))
		return;
	r->at_s = number(field[3]) / 1000;
	if (field[4][0] > ' ' && field[4][0] < 0x7f && !field[4][1])
		r->state = field[4][0];
	r->nprocs = number(field[5]);
	r->cpu_s = number(field[6]) / 1000;
	r->memory = number(field[7]) * 1024;
	r->written = number(field[8]);
	if (r->up_s > 0)
		r->cpu_mean = 100 * r->cpu_s / r->up_s;
}

static void on_device(struct step_view *v, unsigned node, char *const field[])
{
	struct rank_view *r = find(v, node, field[1]);

	if (!r)
		return;
	r->device_used = number(field[3]) * (1 << 20);
	r->device_size = number(field[4]) * (1 << 20);
	r->device_use = number(field[5]);
}

static void on_progress(struct step_view *v, unsigned node, char *const field[])
{
	struct rank_view *r = find(v, node, field[1]);

	if (!r)
		return;
	r->percent = number(field[2]);
	r->remaining_s = number(field[3]);
	r->step = number(field[4]);
	r->rate = number(field[5]);
	r->loss = any_number(field[6]);
	r->report_age_s = number(field[7]);
	r->busy = number(field[8]);
}

void step_view_add(struct step_view *v, const char *node, char *rows)
{
	static const struct {
		const char *name;
		void (*read)(struct step_view *v, unsigned node,
			     char *const field[]);
	} kinds[] = {
		{"step", on_step},	   {"away", on_away},
		{"node", on_node},	   {"rank", on_rank},
		{"use", on_use},	   {"device", on_device},
		{"progress", on_progress},
	};
	struct node_view *n = append(v, &v->node, &v->n, sizeof(*n));
	char *field[ROW_FIELDS];

	if (!n)
		return;
	snprintf(n->name, sizeof(n->name), "%s", node);
	while (row_next(&rows, field))
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (!strcmp(kinds[i].name, field[0]))
				kinds[i].read(v, v->n - 1, field);
}

/* The step's arbiter names those who are away, too. */
void step_view_without(struct step_view *v, const char *node, bool away)
{
	struct node_view *n;

	for (unsigned i = 0; away && i < v->naway; i++)
		if (!strcmp(v->away[i].name, node))
			return;
	n = away ? append(v, &v->away, &v->naway, sizeof(*n))
		 : append(v, &v->silent, &v->nsilent, sizeof(*n));
	if (n)
		snprintf(n->name, sizeof(n->name), "%s", node);
}

unsigned step_view_spares(const struct step_view *v)
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->n; i++)
		n += v->node[i].spare;
	return n;
}
