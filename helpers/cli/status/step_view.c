/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/step_view.h"

#include "core/base/array.h"
#include "core/base/parse.h"
#include "core/facts/rows.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX (1U << 20)

void step_view_clear(struct step_view *v)
{
	free(v->rank);
	free(v->node);
	free(v->away);
	free(v->silent);
	free(v->role);
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

static unsigned whole(const char *field)
{
	long n;

	return parse_number(field, 0, UINT_MAX, &n) == 0 ? (unsigned)n : 0;
}

/* All figures that the row has. */
static void take_figures(struct rank_view *r, char *const field[])
{
	for (int i = 0; i < FIGURES; i++) {
		const struct figure *f = &figures[i];

		if (f->row && !strcmp(f->row, field[0]))
			r->value[i] = figure_read(f, field[f->field]);
	}
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
	v->world_size += whole(field[1]);
	if (v->world)
		return;
	v->nnodes = whole(field[2]);
	v->requeues = whole(field[3]);
}

static double number_of(const char *field)
{
	long n;

	return parse_number(field, 0, LONG_MAX, &n) == 0 ? (double)n : NAN;
}

static void on_stage(struct step_view *v, unsigned node, char *const field[])
{
	struct stage_view *s = &v->stage;

	(void)node;
	s->has = true;
	snprintf(s->path, sizeof(s->path), "%s", field[1]);
	s->bytes = number_of(field[2]);
	s->of = number_of(field[3]);
	s->ready = whole(field[4]);
	s->nodes = whole(field[5]);
	s->left_s = number_of(field[6]);
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
	r->rank = whole(field[1]);
	r->node = node;
	r->world = v->world;
	r->ended = whole(field[4]);
	r->code = (int)whole(field[5]);
	r->state = r->ended ? 'E' : '?';
	for (int i = 0; i < FIGURES; i++)
		r->value[i] = NAN;
	r->wrote_at_s = NAN;
	r->value[FIGURE_RUNNING] = !r->ended;
	take_figures(r, field);
	v->node[node].nranks++;
}

/* It may be of the process before. */
static void on_use(struct step_view *v, unsigned node, char *const field[])
{
	struct rank_view *r = find(v, node, field[1]);

	if (!r || r->ended || r->value[FIGURE_PID] != whole(field[2]))
		return;
	if (field[4][0] > ' ' && field[4][0] < 0x7f && !field[4][1])
		r->state = field[4][0];
	take_figures(r, field);
}

static void on_figures(struct step_view *v, unsigned node, char *const field[])
{
	struct rank_view *r = find(v, node, field[1]);

	if (r)
		take_figures(r, field);
}

static void on_role(struct step_view *v, unsigned node, char *const field[])
{
	struct role_view *r = append(v, &v->role, &v->nroles, sizeof(*r));

	(void)node;
	if (!r)
		return;
	snprintf(r->name, sizeof(r->name), "%s", field[1]);
	r->world = whole(field[2]);
	snprintf(r->state, sizeof(r->state), "%s", field[3]);
	snprintf(r->url, sizeof(r->url), "%s", field[4]);
	snprintf(r->text, sizeof(r->text), "%s", field[5]);
}

static void on_world(struct step_view *v, unsigned node, char *const field[])
{
	(void)node;
	for (v->world = v->nroles; v->world; v->world--)
		if (!strcmp(v->role[v->world - 1].text, field[1]))
			return;
}

static const struct {
	const char *name;
	void (*read)(struct step_view *v, unsigned node, char *const field[]);
} kinds[] = {
	{"step", on_step},   {"away", on_away},	  {"node", on_node},
	{"rank", on_rank},   {"use", on_use},	  {"role", on_role},
	{"stage", on_stage}, {"world", on_world},
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

void step_view_add(struct step_view *v, const char *node, char *rows)
{
	struct node_view *n = append(v, &v->node, &v->n, sizeof(*n));
	char *field[ROW_FIELDS];
	size_t i;

	if (!n)
		return;
	snprintf(n->name, sizeof(n->name), "%s", node);
	v->world = 0;
	while (row_next(&rows, field)) {
		for (i = 0; i < KINDS && strcmp(kinds[i].name, field[0]) != 0;)
			i++;
		(i < KINDS ? kinds[i].read : on_figures)(v, v->n - 1, field);
	}
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

const char *rank_world(const struct step_view *v, const struct rank_view *r)
{
	return r->world ? v->role[r->world - 1].text : "";
}

int rank_order(const struct rank_view *a, const struct rank_view *b)
{
	if (a->world != b->world)
		return a->world < b->world ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

unsigned step_view_spares(const struct step_view *v)
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->n; i++)
		n += v->node[i].spare;
	return n;
}
