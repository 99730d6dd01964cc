/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/view_lines.h"

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/facts/slowness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDLE 5 /* % of a CPU */

/* --- who is alike --- */

/* R and S change from look to look: both are alive. */
static int kind_of(const struct rank_view *r)
{
	return r->state == 'R' ? 'S' : r->state;
}

static bool is_idle(const struct rank_view *r)
{
	return columns[COLUMN_CPU].value(r) < IDLE;
}

static int alike(const struct rank_view *x, const struct rank_view *y)
{
	if (kind_of(x) != kind_of(y))
		return kind_of(x) - kind_of(y);
	if (x->code != y->code)
		return x->code - y->code;
	if (is_slow(x->slower) != is_slow(y->slower))
		return is_slow(x->slower) - is_slow(y->slower);
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
		return (x->rank > y->rank) - (x->rank < y->rank);
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

static double largest(const struct line *line, unsigned column)
{
	double ret = NAN;

	for (unsigned i = 0; i < line->n; i++)
		ret = fmax(ret, columns[column].value(line->rank[i]));
	return ret;
}

static double smallest(const struct line *line, unsigned column)
{
	double ret = NAN;

	for (unsigned i = 0; i < line->n; i++)
		ret = fmin(ret, columns[column].value(line->rank[i]));
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
	bool by_place = o->column == COLUMN_RANK || o->column == COLUMN_NODE;
	bool up = by_place != o->reverse;

	for (unsigned i = 0; i < l->n; i++)
		l->line[i].key = up ? smallest(&l->line[i], o->column)
				    : largest(&l->line[i], o->column);
	qsort_r(l->line, l->n, sizeof(*l->line), sort_order, &up);
}

int lines_make(const struct step_view *view, const struct lines_options *o,
	       struct lines *ret)
{
	enum lines_how how = o->how;
	unsigned n = 0;

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
		if (strstr(view->node[view->rank[i].node].name, o->node))
			ret->rank[n++] = &view->rank[i];
	qsort_r(ret->rank, n, sizeof(*ret->rank), order, &how);
	for (unsigned i = 0; i < n; i++) {
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
		if (is_slow(line->rank[i]->slower))
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

/* --- cells --- */

/* A text that doesn't fit ends with "...". */
static void cut(char *ret, size_t size)
{
	if (size > 4)
		memcpy(ret + size - 4, "...", 4);
}

static long rank_at(const void *line, size_t i)
{
	return ((const struct line *)line)->rank[i]->rank;
}

static int by_place(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Names of several nodes as Slurm writes them; where memory is out, how many
 * ranks. */
static void put_nodes(const struct lines *l, const struct line *line, char *ret,
		      size_t size)
{
	unsigned *place = calloc(line->n, sizeof(*place)), n = 0;
	char **name = calloc(line->n, sizeof(*name));
	char *text = NULL;

	for (unsigned i = 0; place && i < line->n; i++)
		place[i] = line->rank[i]->node;
	if (place)
		qsort(place, line->n, sizeof(*place), by_place);
	for (unsigned i = 0; place && name && i < line->n; i++)
		if (!i || place[i] != place[i - 1])
			name[n++] = l->view->node[place[i]].name;
	if (n)
		text = hostnames_text(name, n);
	if (snprintf(ret, size, "%s", text ? text : "?") >= (int)size)
		cut(ret, size);
	free(place);
	free(name);
	free(text);
}

static void put_states(const struct line *line, char *ret, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < line->n && n + 1 < size; i++)
		if (!memchr(ret, line->rank[i]->state, n))
			ret[n++] = line->rank[i]->state;
	ret[n] = '\0';
}

static bool by_io(const struct line *line, unsigned column)
{
	if (column != COLUMN_QUIET)
		return false;
	for (unsigned i = 0; i < line->n; i++)
		if (line->rank[i]->quiet_by_io)
			return true;
	return false;
}

static void put_numbers(const struct line *line, unsigned column, char *ret,
			size_t size)
{
	double from = smallest(line, column), to = largest(line, column);
	const char *sign = by_io(line, column) ? "~" : "";
	char low[CELL_SIZE], high[CELL_SIZE];

	if (isnan(from) || (column == COLUMN_PID && line->n > 1)) {
		snprintf(ret, size, "-");
		return;
	}
	columns[column].print(from, low);
	columns[column].print(to, high);
	if (strcmp(low, high) != 0)
		snprintf(ret, size, "%s%s..%s", sign, low, high);
	else
		snprintf(ret, size, "%s%s", sign, low);
}

void line_cell(const struct lines *l, const struct line *line, unsigned column,
	       char *ret, size_t size)
{
	if (column == COLUMN_RANK)
		ranges_text(ret, size, line->n, rank_at, line);
	else if (column == COLUMN_NODE)
		put_nodes(l, line, ret, size);
	else if (column == COLUMN_STATE)
		put_states(line, ret, size);
	else
		put_numbers(line, column, ret, size);
}

int lines_width(const struct lines *l, unsigned column, int max)
{
	int width = columns[column].width;
	int head = (int)strlen(columns[column].name);
	char cell[256];

	if (head > width)
		width = head;
	for (unsigned i = 0; i < l->n && width < max; i++) {
		int n;

		line_cell(l, &l->line[i], column, cell, sizeof(cell));
		n = (int)strlen(cell);
		if (n > width)
			width = n;
	}
	return width < max ? width : max;
}
