/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/view_lines.h"

#include "core/facts/slowness.h"

#include <math.h>
#include <stdlib.h>

#define IDLE 5 /* % of a CPU */

/* As its column has it. */
static double figure_of(const struct rank_view *r, unsigned figure)
{
	double value = r->value[figure];

	switch (figure) {
	case FIGURE_RANK: /* for the order alone */
		return r->world * (double)(1U << 20) + r->rank;
	case FIGURE_NODE:
		return r->node;
	case FIGURE_STATE:
		return r->state;
	case FIGURE_CPU:
		return isnan(value) ? r->value[FIGURE_CPU_MEAN] : value;
	case FIGURE_SLOWER:
		return is_slow(value) ? value : NAN;
	default:
		return value;
	}
}

bool figure_is_shown(const struct step_view *view, unsigned figure)
{
	if (!figures[figure].head || figure < FIGURE_DEVICE_MEMORY)
		return figures[figure].head;
	for (unsigned i = 0; i < view->nranks; i++)
		if (!isnan(figure_of(&view->rank[i], figure)))
			return true;
	return false;
}

/* --- who is alike --- */

/* R and S change from look to look: both are alive. */
static int kind_of(const struct rank_view *r)
{
	return r->state == 'R' ? 'S' : r->state;
}

static bool is_idle(const struct rank_view *r)
{
	return figure_of(r, FIGURE_CPU) < IDLE;
}

static bool slow(const struct rank_view *r)
{
	return is_slow(r->value[FIGURE_SLOWER]);
}

static int alike(const struct rank_view *x, const struct rank_view *y)
{
	if (kind_of(x) != kind_of(y))
		return kind_of(x) - kind_of(y);
	if (x->code != y->code)
		return x->code - y->code;
	if (slow(x) != slow(y))
		return slow(x) - slow(y);
	return is_idle(x) - is_idle(y);
}

static int compare(enum lines_how how, const struct rank_view *x,
		   const struct rank_view *y)
{
	switch (how) {
	case LINES_ALIKE:
		return alike(x, y);
	case LINES_NODES:
		return (x->node > y->node) - (x->node < y->node);
	default:
		return rank_order(x, y);
	}
}

static int order(const void *a, const void *b, void *arg)
{
	const struct rank_view *x = *(const struct rank_view *const *)a;
	const struct rank_view *y = *(const struct rank_view *const *)b;
	int rc = compare(*(const enum lines_how *)arg, x, y);

	return rc ? rc : compare(LINES_RANKS, x, y);
}

/* --- lines --- */

double line_largest(const struct line *line, unsigned figure)
{
	double ret = NAN;

	for (unsigned i = 0; i < line->n; i++)
		ret = fmax(ret, figure_of(line->rank[i], figure));
	return ret;
}

double line_smallest(const struct line *line, unsigned figure)
{
	double ret = NAN;

	for (unsigned i = 0; i < line->n; i++)
		ret = fmin(ret, figure_of(line->rank[i], figure));
	return ret;
}

static int sort_order(const void *a, const void *b, void *arg)
{
	const struct line *x = a, *y = b;
	bool up = *(const bool *)arg;

	if (isnan(x->key) || isnan(y->key) || x->key == y->key) {
		if (isnan(x->key) != isnan(y->key))
			return isnan(x->key) ? 1 : -1;
		return compare(LINES_RANKS, x->rank[0], y->rank[0]);
	}
	return (x->key > y->key) == up ? 1 : -1;
}

static void sort(struct lines *l, const struct lines_options *o)
{
	bool by_place = o->figure == FIGURE_RANK || o->figure == FIGURE_NODE;
	bool up = by_place != o->reverse;

	for (unsigned i = 0; i < l->n; i++)
		l->line[i].key = (up ? line_smallest
				     : line_largest)(&l->line[i], o->figure);
	qsort_r(l->line, l->n, sizeof(*l->line), sort_order, &up);
}

int lines_make(const struct step_view *view, const struct lines_options *o,
	       struct lines *ret)
{
	enum lines_how how = o->how;

	*ret = (struct lines){
		.view = view,
		.rank = calloc(view->nranks + 1, sizeof(*ret->rank)),
		.line = calloc(view->nranks + 1, sizeof(*ret->line)),
	};
	if (!ret->rank || !ret->line) {
		lines_clear(ret);
		return -1;
	}
	for (unsigned i = 0; i < view->nranks; i++)
		ret->rank[i] = &view->rank[i];
	qsort_r(ret->rank, view->nranks, sizeof(*ret->rank), order, &how);
	for (unsigned i = 0; i < view->nranks; i++) {
		if (!i || compare(how, ret->rank[i - 1], ret->rank[i]))
			ret->line[ret->n++].rank = &ret->rank[i];
		ret->line[ret->n - 1].n++;
	}
	sort(ret, o);
	return 0;
}

void lines_clear(struct lines *l)
{
	free(l->rank);
	free(l->line);
	*l = (struct lines){0};
}

bool line_is_slow(const struct line *line)
{
	for (unsigned i = 0; i < line->n; i++)
		if (slow(line->rank[i]))
			return true;
	return false;
}

bool line_has_failed(const struct line *line)
{
	for (unsigned i = 0; i < line->n; i++)
		if (line->rank[i]->ended && line->rank[i]->code)
			return true;
	return false;
}
