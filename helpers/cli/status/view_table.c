/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/view_lines.h"

#include "core/base/hostlist.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* "0-4,6", "trainer:0-3,rollout.0:0" */
static void put_ranks(const struct lines *l, const struct line *line, char *ret,
		      size_t size)
{
	char part[TABLE_CELL_MAX + 1];
	unsigned n = 0;

	*ret = '\0';
	for (unsigned i = 0; i < line->n; i += n) {
		const struct rank_view *const *rank = &line->rank[i];
		const char *world = rank_world(l->view, *rank);
		const struct line its = {.rank = rank, .n = 1};

		for (n = 1;
		     i + n < line->n && rank[n]->world == (*rank)->world;)
			n++;
		ranges_text(part, sizeof(part), n, rank_at, &its);
		if (text_add(ret, size, ",", "%s%s%s", world, *world ? ":" : "",
			     part) < 0) {
			cut(ret, size);
			return;
		}
	}
}

static void put_states(const struct line *line, char *ret, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < line->n && n + 1 < size; i++)
		if (!memchr(ret, line->rank[i]->state, n))
			ret[n++] = line->rank[i]->state;
	ret[n] = '\0';
}

static bool by_io(const struct line *line)
{
	for (unsigned i = 0; i < line->n; i++)
		if (line->rank[i]->quiet_by_io)
			return true;
	return false;
}

static void put_numbers(const struct line *line, unsigned figure, char *ret,
			size_t size)
{
	double from = line_smallest(line, figure);
	const char *sign = figure == FIGURE_QUIET && by_io(line) ? "~" : "";
	char low[CELL_SIZE], high[CELL_SIZE];

	if (isnan(from) || (figure == FIGURE_PID && line->n > 1)) {
		snprintf(ret, size, "-");
		return;
	}
	figure_text(figures[figure].unit, from, low);
	figure_text(figures[figure].unit, line_largest(line, figure), high);
	if (strcmp(low, high) != 0)
		snprintf(ret, size, "%s%s..%s", sign, low, high);
	else
		snprintf(ret, size, "%s%s", sign, low);
}

static void put_cell(const struct lines *l, const struct line *line,
		     unsigned figure, char *ret, size_t size)
{
	if (figure == FIGURE_RANK)
		put_ranks(l, line, ret, size);
	else if (figure == FIGURE_NODE)
		put_nodes(l, line, ret, size);
	else if (figure == FIGURE_STATE)
		put_states(line, ret, size);
	else
		put_numbers(line, figure, ret, size);
}

static void add_cell(const struct lines *l, const struct line *line,
		     unsigned figure, struct text_table *t)
{
	int width = figures[figure].width;
	char cell[TABLE_CELL_MAX + 1];

	put_cell(l, line, figure, cell, sizeof(cell));
	text_table_add(t, "%*s", figure == FIGURE_NODE ? -width : width, cell);
}

void view_table(const struct lines *lines, struct text_table *ret)
{
	unsigned shown[FIGURES], n = 0;

	*ret = (struct text_table){0};
	for (unsigned i = 0; i < FIGURES; i++) {
		if (!figure_is_shown(lines->view, i))
			continue;
		shown[n++] = i;
		text_table_column(ret,
				  i == FIGURE_NODE ? COLUMN_LEFT : COLUMN_RIGHT,
				  figures[i].head);
	}
	for (unsigned k = 0; k < lines->n; k++)
		for (unsigned i = 0; i < n; i++)
			add_cell(lines, &lines->line[k], shown[i], ret);
}
