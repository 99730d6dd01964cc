/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal shows, as a picture: each cell has its place, for fonts of
 * equal width are not equally wide everywhere. */
#include "helpers/cli/picture.h"
#include "helpers/cli/status/view_lines.h"
#include "helpers/cli/svg.h"

#include <stdlib.h>
#include <string.h>

#define SIZE	11 /* of the font; pixels, as all */
#define CHAR_W	(SIZE * SVG_CHAR_W)
#define LINE_H	17
#define EDGE	16
#define BETWEEN (2 * CHAR_W) /* columns */

struct picture {
	const struct lines *lines;
	struct text_table table;
	char *head; /* lines */
	const char *title;
	double y;
};

/* A cell without the blanks that fill its column. */
static const char *cell_of(const struct text_table *t, size_t row,
			   size_t column)
{
	const char *cell = text_table_at(t, row, column);

	return cell + strspn(cell, " ");
}

/* Of the widest cell, which is filled up. */
static double column_width(const struct text_table *t, size_t column)
{
	size_t width = 0;

	for (size_t row = 0; row < text_table_rows(t); row++) {
		size_t n = strlen(text_table_at(t, row, column));

		width = n > width ? n : width;
	}
	return (double)width * CHAR_W;
}

static double table_width(const struct text_table *t)
{
	double width = 0;

	for (size_t i = 0; i < t->columns; i++)
		width += column_width(t, i) + BETWEEN;
	return width;
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void put_head(FILE *f, struct picture *p)
{
	char *at = p->head, *line;

	while ((line = strsep(&at, "\n")) && at) {
		p->y += LINE_H;
		svg_text(f, EDGE, p->y, "code t3", line);
	}
	p->y += LINE_H / 2.0;
}

/* Row 0 has the names of the columns. */
static void put_row(FILE *f, struct picture *p, size_t row)
{
	const struct line *line = row ? &p->lines->line[row - 1] : NULL;
	bool odd = line && (line_is_slow(line) || line_has_failed(line));
	const char *style = !line ? "b" : odd ? "red" : "";
	double x = EDGE;
	char class[32];

	p->y += LINE_H;
	for (size_t i = 0; i < p->table.columns; i++) {
		bool left = p->table.column[i] == COLUMN_LEFT;
		double w = column_width(&p->table, i);

		snprintf(class, sizeof(class), "code t3 %s%s", style,
			 left ? "" : " end");
		svg_text(f, left ? x : x + w, p->y, class,
			 cell_of(&p->table, row, i));
		x += w + BETWEEN;
	}
}

static void draw(FILE *f, void *arg)
{
	struct picture *p = arg;
	size_t rows = text_table_rows(&p->table);
	const struct svg_page page = {
		.width = table_width(&p->table) + 2 * EDGE,
		.height =
			(count_lines(p->head) + rows + 0.5) * LINE_H + 2 * EDGE,
		.title = p->title,
	};

	svg_begin(f, &page);
	p->y = EDGE;
	put_head(f, p);
	svg_box(f, EDGE / 2.0, p->y + LINE_H * 0.25, page.width - EDGE, LINE_H,
		"node");
	for (size_t i = 0; i < rows; i++)
		put_row(f, p, i);
	svg_end(f);
}

int status_picture(const char *path, const struct step_view *view,
		   const char *step, const struct lines *lines, struct err *err)
{
	struct picture p = {.lines = lines, .title = "dist-train status"};
	size_t size;
	FILE *f = open_memstream(&p.head, &size);
	int rc;

	if (!f)
		return err_memory(err);
	view_head(f, view, step);
	view_table(lines, &p.table);
	if (fclose(f) == 0 && !p.table.failed)
		rc = picture_write(path, draw, &p, err);
	else
		rc = err_memory(err);
	text_table_clear(&p.table);
	free(p.head);
	return rc;
}
