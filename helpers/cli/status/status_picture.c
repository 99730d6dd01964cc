/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal shows, as a picture: each cell has its place, for fonts of
 * equal width are not equally wide everywhere. */
#include "helpers/cli/picture.h"
#include "helpers/cli/status/view_lines.h"
#include "helpers/cli/svg.h"

#include <stdlib.h>
#include <string.h>

#define SIZE   11 /* of the font; pixels, as all */
#define CHAR_W (SIZE * SVG_CHAR_W)
#define LINE_H 17
#define EDGE   16

struct picture {
	const struct table *table;
	char *head; /* lines */
	const char *title;
	double y;
};

static double table_width(const struct table *t)
{
	double width = 0;

	for (unsigned i = 0; i < t->n; i++)
		width += (t->width[i] + TABLE_SPACES) * CHAR_W;
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

/* `line` NULL: the names of the columns */
static void put_row(FILE *f, struct picture *p, const struct line *line)
{
	const struct table *t = p->table;
	bool odd = line && (line_is_slow(line) || line_has_failed(line));
	const char *style = !line ? "b" : odd ? "red" : "";
	double x = EDGE;
	char cell[256], class[32];

	p->y += LINE_H;
	for (unsigned i = 0; i < t->n; i++) {
		bool left = t->column[i] == COLUMN_NODE;
		double w = t->width[i] * CHAR_W;

		snprintf(class, sizeof(class), "code t3 %s%s", style,
			 left ? "" : " end");
		if (line)
			line_cell(t->lines, line, t->column[i], cell,
				  (size_t)t->width[i] + 1);
		svg_text(f, left ? x : x + w, p->y, class,
			 line ? cell : columns[t->column[i]].name);
		x += w + TABLE_SPACES * CHAR_W;
	}
}

static void draw(FILE *f, void *arg)
{
	struct picture *p = arg;
	const struct table *t = p->table;
	const struct svg_page page = {
		.width = table_width(t) + 2 * EDGE,
		.height = (count_lines(p->head) + t->lines->n + 1.5) * LINE_H +
			  2 * EDGE,
		.title = p->title,
	};

	svg_begin(f, &page);
	p->y = EDGE;
	put_head(f, p);
	svg_box(f, EDGE / 2.0, p->y + LINE_H * 0.25, page.width - EDGE, LINE_H,
		"node");
	put_row(f, p, NULL);
	for (unsigned i = 0; i < t->lines->n; i++)
		put_row(f, p, &t->lines->line[i]);
	svg_end(f);
}

int status_picture(const char *path, const struct step_view *view,
		   const char *step, const struct table *table, struct err *err)
{
	struct picture p = {.table = table, .title = "dist-train status"};
	size_t size;
	FILE *f = open_memstream(&p.head, &size);
	int rc;

	if (!f)
		return err_memory(err);
	view_head(f, view, step);
	if (fclose(f) == 0)
		rc = picture_write(path, draw, &p, err);
	else
		rc = err_memory(err);
	free(p.head);
	return rc;
}
