/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text_table.h"

#include "core/base/array.h"

#include <stdarg.h>

#define BETWEEN "  " /* columns */

/* `text` is taken over; NULL: out of memory. */
static void put(struct text_table *t, char *text)
{
	if (text && array_append(&t->cell, t->n, sizeof(text))) {
		t->cell[t->n++] = text;
		return;
	}
	t->failed = true;
	free(text);
}

void text_table_column(struct text_table *t, enum text_column column,
		       const char *name)
{
	if (!array_append(&t->column, t->columns, sizeof(column))) {
		t->failed = true;
		return;
	}
	t->column[t->columns++] = column;
	put(t, strdup(name));
}

void text_table_add(struct text_table *t, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	put(t, vasprintf(&text, fmt, ap) < 0 ? NULL : text);
	va_end(ap);
}

size_t text_table_rows(const struct text_table *t)
{
	return t->columns ? t->n / t->columns : 0;
}

const char *text_table_at(const struct text_table *t, size_t row, size_t column)
{
	return t->cell[row * t->columns + column];
}

/* Without colours. */
static int width_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		if (*text != '\033')
			n++;
		else if (!(text = strchr(text, 'm')))
			break;
	return n;
}

static void put_row(FILE *f, const struct text_table *t, size_t row,
		    const int *width, size_t last)
{
	const char *between = t->indent ? t->indent : "";

	for (size_t c = 0; c <= last; c++) {
		const char *text = text_table_at(t, row, c);
		int pad = width[c] - width_of(text);
		bool right = t->column[c] == COLUMN_RIGHT;

		if (t->column[c] == COLUMN_HIDDEN)
			continue;
		fprintf(f, "%s%*s%s%*s", between, right ? pad : 0, "", text,
			right || c == last ? 0 : pad, "");
		between = BETWEEN;
	}
	fputc('\n', f);
}

/* Of each column; the caller's to free. NULL: out of memory. */
static int *widths(const struct text_table *t)
{
	int *width = t->failed ? NULL : calloc(t->columns + 1, sizeof(*width));

	for (size_t i = 0; width && i < t->n; i++) {
		int n = width_of(t->cell[i]), *w = &width[i % t->columns];

		*w = n > *w ? n : *w;
	}
	return width;
}

void text_table_fit(struct text_table *t, int columns)
{
	cleanup_free int *width = widths(t);
	int used = 0;

	for (size_t c = 0; width && c < t->columns; c++)
		if (used + width[c] > columns)
			t->column[c] = COLUMN_HIDDEN;
		else if (t->column[c] != COLUMN_HIDDEN)
			used += width[c] + (int)strlen(BETWEEN);
}

int text_table_print(FILE *f, const struct text_table *t, struct err *err)
{
	cleanup_free int *width = widths(t);
	size_t last = 0;

	if (!width)
		return err_memory(err);
	for (size_t c = 0; c < t->columns; c++)
		if (t->column[c] != COLUMN_HIDDEN)
			last = c;
	for (size_t row = 0; row < text_table_rows(t); row++)
		put_row(f, t, row, width, last);
	return 0;
}

void text_table_clear(struct text_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->cell[i]);
	free(t->cell);
	free(t->column);
	*t = (struct text_table){0};
}
