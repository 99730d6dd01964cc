/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_compare.h"

#include "core/base/cleanup.h"
#include "core/base/env_secret.h"
#include "core/explain/explain.h"
#include "core/explain/explain_env.h"
#include "helpers/cli/explain/process_view.h"

#include <string.h>

#define CELL_MAX 40 /* bytes of a value in a table */

/* Texts in rows and columns; row 0 is the heading. All are owned. */
struct table {
	unsigned rows, columns;
	char **cell;
};

static void table_clear(struct table *t)
{
	for (unsigned i = 0; t->cell && i < t->rows * t->columns; i++)
		free(t->cell[i]);
	free(t->cell);
}

#define cleanup_table __attribute__((cleanup(table_clear)))

static char **cell_at(const struct table *t, unsigned row, unsigned column)
{
	return &t->cell[row * t->columns + column];
}

static int table_make(struct table *t, unsigned rows, unsigned columns,
		      struct err *err)
{
	*t = (struct table){rows, columns,
			    calloc((size_t)rows * columns, sizeof(*t->cell))};
	return t->cell ? 0 : err_memory(err);
}

static int set_cell(const struct table *t, unsigned row, unsigned column,
		    const char *text, struct err *err)
{
	char **cell = cell_at(t, row, column);

	*cell = strdup(text);
	return *cell ? 0 : err_memory(err);
}

/* A variable's value as a table has room for it; NULL: it hasn't got it. */
static const char *cell_text(const struct env_entry *e, char buf[SHOW_SIZE])
{
	if (!e)
		return "-";
	if (!e->value)
		return "(unset)";
	if (env_is_secret(e, e->value))
		return env_secret(e->value, buf);
	if (!*e->value)
		return "''";
	if (strlen(e->value) <= CELL_MAX && is_word(e->value,
						    "!\"#$%&'()*+,-./:;"
						    "<=>?@[\\]^_`{|}~ ",
						    CELL_MAX))
		return e->value;
	snprintf(buf, SHOW_SIZE, "(%zu bytes)", strlen(e->value));
	return buf;
}

static bool same_columns(const struct table *t, unsigned a, unsigned b)
{
	for (unsigned row = 1; row < t->rows; row++)
		if (strcmp(*cell_at(t, row, a), *cell_at(t, row, b)) != 0)
			return false;
	return true;
}

/* The first column with the same values; `column` itself: none before. */
static unsigned first_like(const struct table *t, unsigned column)
{
	for (unsigned c = 2; c < column; c++)
		if (same_columns(t, c, column))
			return c;
	return column;
}

static int width_of(const struct table *t, unsigned column)
{
	int width = 0;

	for (unsigned row = 0; row < t->rows; row++) {
		int n = (int)strlen(*cell_at(t, row, column));

		width = n > width ? n : width;
	}
	return width;
}

/* "The same as RANK: ROLE_RANK, SLURM_PROCID" */
static void print_alike(FILE *f, const struct table *t, unsigned column)
{
	bool any = false;

	for (unsigned c = column + 1; c < t->columns; c++) {
		if (first_like(t, c) != column)
			continue;
		if (!any)
			fprintf(f, "The same as %s: ", *cell_at(t, 0, column));
		fprintf(f, "%s%s", any ? ", " : "", *cell_at(t, 0, c));
		any = true;
	}
	if (any)
		fputc('\n', f);
}

/* Columns that are like another one are named below, not repeated. */
static void print_table(FILE *f, const struct table *t)
{
	cleanup_free int *pad = calloc(t->columns, sizeof(*pad));
	unsigned last = 0;

	for (unsigned c = 0; pad && c < t->columns; c++) {
		pad[c] = width_of(t, c);
		last = first_like(t, c) == c ? c : last;
	}
	if (pad)
		pad[last] = 0;
	for (unsigned row = 0; pad && row < t->rows; row++) {
		for (unsigned c = 0; c < t->columns; c++)
			if (first_like(t, c) == c)
				fprintf(f, "%s%-*s", c ? "  " : "", pad[c],
					*cell_at(t, row, c));
		fputc('\n', f);
	}
	for (unsigned c = 2; c < t->columns; c++)
		print_alike(f, t, c);
}

/* The framework's own names first, the neutral ones last or not at all. */
static int sort_names(const struct plan *plan, unsigned flags,
		      struct envset *names, struct err *err)
{
	unsigned end = flags & EXPLAIN_ALL ? EXPLAIN_GROUPS : EXPLAIN_NEUTRAL;
	struct env_entry *sorted = calloc(names->n + 1, sizeof(*sorted));
	size_t n = 0;

	if (!sorted)
		return err_memory(err);
	for (unsigned group = 0; group < end; group++)
		for (size_t i = 0; i < names->n; i++)
			if (explain_group_of(plan, names->entry[i].name) ==
			    group)
				sorted[n++] = names->entry[i];
	free(names->entry);
	names->entry = sorted;
	names->size = names->n + 1;
	names->n = n;
	return 0;
}

static int fill_row(const struct table *t, struct dryrun_view *view,
		    unsigned rank, const struct envset *names, struct err *err)
{
	cleanup_process struct process_view p = {0};
	char text[SHOW_SIZE];

	if (process_view_make(view, rank, &p, err) < 0)
		return -1;
	snprintf(text, sizeof(text), "%u", rank);
	if (set_cell(t, rank + 1, 0, text, err) < 0 ||
	    set_cell(t, rank + 1, 1, view->job.node_name, err) < 0)
		return -1;
	for (unsigned i = 0; i < names->n; i++) {
		const struct env_entry *e =
			envset_find(&p.set, names->entry[i].name);

		if (set_cell(t, rank + 1, i + 2, cell_text(e, text), err) < 0)
			return -1;
	}
	return 0;
}

static int print_rows(FILE *f, struct dryrun_view *view, unsigned rows,
		      const struct envset *names, struct err *err)
{
	cleanup_table struct table t = {0};

	if (table_make(&t, rows + 1, (unsigned)names->n + 2, err) < 0 ||
	    set_cell(&t, 0, 0, "rank", err) < 0 ||
	    set_cell(&t, 0, 1, "node", err) < 0)
		return -1;
	for (unsigned i = 0; i < names->n; i++)
		if (set_cell(&t, 0, i + 2, names->entry[i].name, err) < 0)
			return -1;
	for (unsigned rank = 0; rank < rows; rank++)
		if (fill_row(&t, view, rank, names, err) < 0)
			return -1;
	print_table(f, &t);
	return 0;
}

int explain_all(FILE *f, struct dryrun_view *view, unsigned flags,
		struct err *err)
{
	unsigned n = view->plan.world_size;
	unsigned rows = n < EXPLAIN_ROWS_MAX ? n : EXPLAIN_ROWS_MAX;
	cleanup_common struct process_common c = {0};
	struct envset same = {0}, names = {0};
	int rc = -1;

	if (process_common_make(view, NULL, n, &c, err) < 0 ||
	    dryrun_view_rank(view, 0, err) < 0)
		return -1;
	if (process_common_part(&c, false, &same, err) == 0 &&
	    process_common_part(&c, true, &names, err) == 0 &&
	    sort_names(&view->plan, flags, &names, err) == 0) {
		explain_put_summary(f, &view->plan);
		fprintf(f, "\n\nThe same for all %u:\n", n);
		explain_put_env(f, &view->plan, &same, NULL, flags);
		fputs("\nEach its own:\n", f);
		rc = print_rows(f, view, rows, &names, err);
	}
	if (rc == 0 && n > rows)
		fprintf(f, "... %u more; --rank N shows one of them\n",
			n - rows);
	free(same.entry);
	free(names.entry);
	return rc;
}

static int fill_diff(const struct table *t, struct dryrun_view *view,
		     unsigned column, unsigned rank, const struct envset *names,
		     struct err *err)
{
	cleanup_process struct process_view p = {0};
	char text[SHOW_SIZE];

	if (process_view_make(view, rank, &p, err) < 0)
		return -1;
	snprintf(text, sizeof(text), "rank %u on %s", rank,
		 view->job.node_name);
	if (set_cell(t, 0, column, text, err) < 0)
		return -1;
	for (unsigned i = 0; i < names->n; i++) {
		const char *name = names->entry[i].name;

		if (set_cell(t, i + 1, column,
			     cell_text(envset_find(&p.set, name), text),
			     err) < 0)
			return -1;
	}
	return 0;
}

int explain_diff(FILE *f, struct dryrun_view *view, const unsigned rank[2],
		 struct err *err)
{
	cleanup_common struct process_common c = {0};
	cleanup_table struct table t = {0};
	struct envset names = {0};
	int rc;

	if (process_common_make(view, rank, 2, &c, err) < 0 ||
	    process_common_part(&c, true, &names, err) < 0)
		return -1;
	rc = sort_names(&view->plan, EXPLAIN_ALL, &names, err);
	if (rc == 0)
		rc = table_make(&t, (unsigned)names.n + 1, 3, err);
	if (rc == 0)
		rc = set_cell(&t, 0, 0, "", err);
	for (unsigned i = 0; rc == 0 && i < names.n; i++)
		rc = set_cell(&t, i + 1, 0, names.entry[i].name, err);
	for (unsigned i = 0; rc == 0 && i < 2; i++)
		rc = fill_diff(&t, view, i + 1, rank[i], &names, err);
	for (unsigned row = 0; rc == 0 && row < t.rows; row++)
		fprintf(f, "%-*s  %-*s  %s\n", width_of(&t, 0),
			*cell_at(&t, row, 0), width_of(&t, 1),
			*cell_at(&t, row, 1), *cell_at(&t, row, 2));
	if (rc == 0)
		fprintf(f, "\n%zu variables are the same\n", c.set.n - names.n);
	free(names.entry);
	return rc;
}
