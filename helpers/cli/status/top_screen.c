/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A screen is made as a whole and written at once, from its upper left corner
 * on: nothing flickers, and nothing of the screen before stays.
 */
#include "core/base/cleanup.h"
#include "helpers/cli/status/top.h"
#include "sys/text_file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HINTS                                                                  \
	"q quit  h help  < > sort  r reverse  g group  f filter  d delay  "    \
	"Space look now"

#define SMALL 10 /* rows: with fewer the table has all but one */

struct screen {
	FILE *f;
	unsigned rows, columns;
	unsigned used; /* rows */
};

/* --- lines of a screen --- */

static void put_style(const struct screen *s, const char *style)
{
	if (style)
		fputs(style, s->f);
}

/* Cut at the screen's end; a text that holds no control character. */
static void put_line(struct screen *s, const char *style, const char *text)
{
	if (s->used == s->rows)
		return;
	if (s->used++)
		fputs("\r\n", s->f);
	fputs("\033[2K", s->f);
	put_style(s, style);
	fprintf(s->f, "%.*s", (int)s->columns, text);
	if (style && !strcmp(style, TERMINAL_REVERSE))
		fprintf(s->f, "%*s",
			(int)(strlen(text) < s->columns
				      ? s->columns - strlen(text)
				      : 0),
			"");
	put_style(s, style ? TERMINAL_PLAIN : NULL);
}

__attribute__((format(printf, 3, 4))) static void
put_format(struct screen *s, const char *style, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_line(s, style, text);
}

/* Lines of a text that ends with a newline; it is changed. */
static void put_lines(struct screen *s, char *text, unsigned max)
{
	for (char *next; *text && max; text = next, max--) {
		next = strchrnul(text, '\n');
		if (*next)
			*next++ = '\0';
		put_line(s, NULL, text);
	}
}

/* --- its parts --- */

static char *head_text(const struct top *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	view_head(f, &t->view, status_source_step(t->source));
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static void put_head(struct screen *s, const struct top *t)
{
	cleanup_free char *text = head_text(t);

	if (text)
		put_lines(s, text, s->rows < SMALL ? 1 : s->rows / 3);
}

static void put_note(struct screen *s, const struct top *t)
{
	char time_now[16];
	time_t now = time(NULL);
	struct tm tm;

	if (t->mode == TOP_ASKS_NODE) {
		put_format(s, TERMINAL_BOLD, "nodes with: %s_", t->typed);
		return;
	}
	if (t->mode == TOP_ASKS_DELAY) {
		put_format(s, TERMINAL_BOLD, "seconds between two looks: %s_",
			   t->typed);
		return;
	}
	if (*t->note) {
		put_format(s, TERMINAL_BOLD, "%s", t->note);
		return;
	}
	strftime(time_now, sizeof(time_now), "%H:%M:%S",
		 localtime_r(&now, &tm));
	put_format(s, NULL, "%s, every %g s, sorted by %s%s%s%s", time_now,
		   t->delay_s, columns[t->how.column].name,
		   t->how.reverse ? " reversed" : "",
		   *t->node ? ", nodes with " : "", t->node);
}

static const char *style_of(const struct top *t, const struct line *line)
{
	if (line_has_failed(line))
		return t->colours ? TERMINAL_RED : TERMINAL_BOLD;
	if (line_is_slow(line))
		return t->colours ? TERMINAL_YELLOW : TERMINAL_BOLD;
	return NULL;
}

/* `line` -1: the head */
static void put_table_line(struct screen *s, const struct top *t,
			   const struct table *table, long line)
{
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	if (line < 0)
		table_head(f, table);
	else
		table_line(f, table, (unsigned)line);
	if (fclose(f) == 0)
		put_line(s,
			 line < 0 ? TERMINAL_REVERSE
				  : style_of(t, &table->lines->line[line]),
			 text);
}

/* Rows for lines of the table, below what is there and its head. */
static unsigned room(const struct screen *s)
{
	unsigned other = s->used + 1 + (s->rows >= SMALL);

	return s->rows > other ? s->rows - other : 0;
}

static void put_table(struct screen *s, struct top *t)
{
	struct lines lines;
	struct table table;
	unsigned n = room(s);

	t->how.node = t->node;
	if (lines_make(&t->view, &t->how, &lines) < 0)
		return;
	table_make(&lines, (int)s->columns, &table);
	if (t->first + n > lines.n)
		t->first = lines.n > n ? lines.n - n : 0;
	put_table_line(s, t, &table, -1);
	for (unsigned i = t->first; i < lines.n && i < t->first + n; i++)
		put_table_line(s, t, &table, i);
	if (s->rows >= SMALL && lines.n > n)
		put_format(s, NULL, "%u to %u of %u  " HINTS, t->first + 1,
			   t->first + n, lines.n);
	else if (s->rows >= SMALL)
		put_line(s, NULL, HINTS);
	lines_clear(&lines);
}

static void put_help(struct screen *s)
{
	const char *text;

	put_line(s, TERMINAL_BOLD, "dist-train top: keys");
	for (unsigned i = 0; (text = top_key_help(i)); i++)
		put_format(s, NULL, "  %-17.*s%s", (int)strcspn(text, "\t"),
			   text, strchr(text, '\t') + 1);
	put_line(s, NULL, "");
	put_line(s, TERMINAL_BOLD, "columns");
	for (unsigned i = 0; i < COLUMNS; i++)
		put_format(s, NULL, "  %-8s%s", columns[i].name,
			   columns[i].meaning);
}

/* --- the screen --- */

static void put_all(struct screen *s, struct top *t)
{
	if (t->mode == TOP_HELP) {
		put_help(s);
		return;
	}
	if (!t->seen) {
		put_format(s, NULL, "asking step %s ...",
			   status_source_step(t->source));
		return;
	}
	put_head(s, t);
	put_note(s, t);
	put_table(s, t);
}

unsigned top_page(const struct top *t)
{
	struct screen s = {.used = 3};

	(void)t;
	terminal_size(&s.rows, &s.columns);
	return room(&s) > 1 ? room(&s) - 1 : 1;
}

void top_draw(struct top *t)
{
	cleanup_free char *text = NULL;
	size_t size;
	struct screen s = {.f = open_memstream(&text, &size)};

	if (!s.f)
		return;
	terminal_size(&s.rows, &s.columns);
	fputs("\033[H", s.f);
	put_all(&s, t);
	if (s.used < s.rows)
		fputs("\r\n\033[J", s.f);
	if (fclose(s.f) == 0)
		write_full(STDOUT_FILENO, text, size);
}
