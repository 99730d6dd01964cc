/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_show.h"

#include "core/base/env_secret.h"
#include "core/base/text_table.h"

#include <string.h>

#define CELL_MAX 40 /* bytes of a value in a table */

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

static bool same_columns(const struct text_table *t, size_t a, size_t b)
{
	for (size_t row = 1; row < text_table_rows(t); row++)
		if (strcmp(text_table_at(t, row, a),
			   text_table_at(t, row, b)) != 0)
			return false;
	return true;
}

/* The first column with the same values; `column` itself: none before. */
static size_t first_like(const struct text_table *t, size_t column)
{
	for (size_t c = 2; c < column; c++)
		if (same_columns(t, c, column))
			return c;
	return column;
}

/* "The same as RANK: ROLE_RANK, SLURM_PROCID" */
static void print_alike(FILE *f, const struct text_table *t, size_t column)
{
	bool any = false;

	for (size_t c = column + 1; c < t->columns; c++) {
		if (first_like(t, c) != column)
			continue;
		if (!any)
			fprintf(f, "The same as %s: ",
				text_table_at(t, 0, column));
		fprintf(f, "%s%s", any ? ", " : "", text_table_at(t, 0, c));
		any = true;
	}
	if (any)
		fputc('\n', f);
}

/* Columns that are like another one are named below, not repeated. */
static int print_table(FILE *f, struct text_table *t, struct err *err)
{
	for (size_t c = 2; !t->failed && c < t->columns; c++)
		if (first_like(t, c) != c)
			t->column[c] = COLUMN_HIDDEN;
	if (text_table_print(f, t, err) < 0)
		return -1;
	for (size_t c = 2; c < t->columns; c++)
		print_alike(f, t, c);
	return 0;
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

static int fill_row(struct text_table *t, struct dryrun_view *view,
		    unsigned rank, const struct envset *names, struct err *err)
{
	cleanup_process struct process_view p = {0};
	char text[SHOW_SIZE];

	if (process_view_make(view, rank, &p, err) < 0)
		return -1;
	text_table_add(t, "%u", rank);
	text_table_add(t, "%s", view->job.node_name);
	for (size_t i = 0; i < names->n; i++)
		text_table_add(
			t, "%s",
			cell_text(envset_find(&p.set, names->entry[i].name),
				  text));
	return 0;
}

static int print_rows(FILE *f, struct dryrun_view *view, unsigned rows,
		      const struct envset *names, struct err *err)
{
	cleanup_table struct text_table t = {0};

	text_table_column(&t, COLUMN_LEFT, "rank");
	text_table_column(&t, COLUMN_LEFT, "node");
	for (size_t i = 0; i < names->n; i++)
		text_table_column(&t, COLUMN_LEFT, names->entry[i].name);
	for (unsigned rank = 0; rank < rows; rank++)
		if (fill_row(&t, view, rank, names, err) < 0)
			return -1;
	return print_table(f, &t, err);
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

/* The process, and a column for it. */
static int add_process(struct text_table *t, struct dryrun_view *view,
		       unsigned rank, struct process_view *ret, struct err *err)
{
	char text[SHOW_SIZE];

	if (process_view_make(view, rank, ret, err) < 0)
		return -1;
	snprintf(text, sizeof(text), "rank %u on %s", rank,
		 view->job.node_name);
	text_table_column(t, COLUMN_LEFT, text);
	return 0;
}

static void add_difference(struct text_table *t, const char *name,
			   const struct process_view *a,
			   const struct process_view *b)
{
	char text[SHOW_SIZE];

	text_table_add(t, "%s", name);
	text_table_add(t, "%s", cell_text(envset_find(&a->set, name), text));
	text_table_add(t, "%s", cell_text(envset_find(&b->set, name), text));
}

int explain_diff(FILE *f, struct dryrun_view *view, const unsigned rank[2],
		 struct err *err)
{
	cleanup_common struct process_common c = {0};
	cleanup_process struct process_view a = {0}, b = {0};
	cleanup_table struct text_table t = {0};
	struct envset names = {0};
	int rc;

	text_table_column(&t, COLUMN_LEFT, "");
	if (add_process(&t, view, rank[0], &a, err) < 0 ||
	    add_process(&t, view, rank[1], &b, err) < 0 ||
	    process_common_make(view, rank, 2, &c, err) < 0 ||
	    process_common_part(&c, true, &names, err) < 0)
		return -1;
	rc = sort_names(&view->plan, EXPLAIN_ALL, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		add_difference(&t, names.entry[i].name, &a, &b);
	if (rc == 0)
		rc = text_table_print(f, &t, err);
	if (rc == 0)
		fprintf(f, "\n%zu variables are the same\n", c.set.n - names.n);
	free(names.entry);
	return rc;
}
