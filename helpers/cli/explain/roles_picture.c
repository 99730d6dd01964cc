/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as boxes, and in each a bar for each world that it has a part of. */
#include "helpers/cli/explain/roles_view.h"

#include "core/base/text.h"
#include "helpers/cli/picture.h"

#include <string.h>

#define MARGIN	  24.0
#define HEAD	  64.0 /* title and legend */
#define NODE_W	  230.0
#define TITLE	  24.0 /* of a node */
#define BAR_H	  22.0
#define GAP	  5.0
#define BETWEEN	  18.0
#define COLUMNS	  4u
#define NODES_MAX 256u /* that are drawn */
#define COLOURS	  6u   /* classes r0 to r5 of svg.c */
#define CHAR_W	  6.2  /* of a legend's text */

struct roles_drawing {
	FILE *f;
	const struct roles_view *v;
	unsigned nnodes; /* that are drawn */
	unsigned bars;	 /* the most of one node */
};

static const char *class_of(unsigned role)
{
	static const char *const names[COLOURS] = {"r0", "r1", "r2",
						   "r3", "r4", "r5"};

	return names[role % COLOURS];
}

static bool is_on(const struct role_world *w, unsigned node)
{
	return node >= w->node && node < w->node + w->nnodes;
}

static unsigned bars_of(const struct roles_drawing *d, unsigned node)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->v->plan.n; i++)
		n += is_on(&d->v->plan.world[i], node);
	return n;
}

static double node_height(const struct roles_drawing *d)
{
	return TITLE + d->bars * (BAR_H + GAP) + GAP;
}

static void draw_bar(const struct roles_drawing *d, const struct role_world *w,
		     unsigned node, double x, double y)
{
	const struct role_plan *plan = &d->v->plan;
	unsigned i = node - w->node, n = role_world_devices(plan, w, i);
	char name[ROLE_WORLD_NAME_SIZE], text[160];
	unsigned procs = role_world_procs(plan, w, i);

	snprintf(text, sizeof(text), "%s", role_world_name(plan, w, name));
	if (n == 1)
		text_add(text, sizeof(text), "", "  dev %u", w->device);
	else if (n)
		text_add(text, sizeof(text), "", "  dev %u-%u", w->device,
			 w->device + n - 1);
	if (procs > 1)
		text_add(text, sizeof(text), "", "  %u processes", procs);
	svg_group(d->f, text);
	svg_box(d->f, x + GAP, y, NODE_W - 2 * GAP, BAR_H, class_of(w->role));
	svg_text_cut(d->f, x + 2 * GAP, y + 15, NODE_W - 4 * GAP, 12, "t2 on",
		     text);
	svg_group_end(d->f);
}

static void draw_node(const struct roles_drawing *d, unsigned node)
{
	double x = MARGIN + (node % COLUMNS) * (NODE_W + BETWEEN);
	double y = HEAD + (node / COLUMNS) * (node_height(d) + BETWEEN);

	svg_box(d->f, x, y, NODE_W, node_height(d), "node");
	svg_text_cut(d->f, x + GAP, y + 16, NODE_W - 2 * GAP, 13, "t2 b",
		     d->v->node[node]);
	y += TITLE;
	for (unsigned i = 0; i < d->v->plan.n; i++) {
		const struct role_world *w = &d->v->plan.world[i];

		if (!is_on(w, node))
			continue;
		draw_bar(d, w, node, x, y);
		y += BAR_H + GAP;
	}
}

#define LEGEND_SIZE 160

/* What a role is, what it needs, and the signal by which it hears of others. */
static const char *legend_text(const struct roles_view *v, unsigned role,
			       char buf[LEGEND_SIZE])
{
	const struct role_line *line = &v->file.role[role];

	snprintf(buf, LEGEND_SIZE, "%s (%s)", line->name, line->framework);
	for (unsigned k = 0; k < line->nneeds; k++)
		text_add(buf, LEGEND_SIZE, k ? "+" : " needs ", "%s",
			 v->file.role[line->needs[k]].name);
	if (line->notify)
		text_add(buf, LEGEND_SIZE, ", ", "told by SIG%s",
			 sigabbrev_np(line->notify));
	return buf;
}

static void draw_legend(const struct roles_drawing *d)
{
	char text[LEGEND_SIZE];
	double x = MARGIN;

	for (unsigned i = 0; i < d->v->file.n; i++)
		x = svg_legend(d->f, x, 52, class_of(i),
			       legend_text(d->v, i, text));
}

static double legend_width(const struct roles_view *v)
{
	char text[LEGEND_SIZE];
	double w = 0;

	for (unsigned i = 0; i < v->file.n; i++)
		w += 36 + CHAR_W * (double)strlen(legend_text(v, i, text));
	return w;
}

static void draw(FILE *f, const void *arg)
{
	struct roles_drawing d = {.f = f, .v = arg};
	const struct roles_view *v = arg;
	unsigned lines, columns;
	struct svg_page page;
	char title[200];

	d.nnodes = v->plan.nnodes < NODES_MAX ? v->plan.nnodes : NODES_MAX;
	for (unsigned i = 0; i < d.nnodes; i++)
		d.bars = bars_of(&d, i) > d.bars ? bars_of(&d, i) : d.bars;
	lines = (d.nnodes + COLUMNS - 1) / COLUMNS;
	columns = d.nnodes < COLUMNS ? d.nnodes : COLUMNS;
	snprintf(title, sizeof(title), "roles: %u worlds on %u nodes%s",
		 v->plan.n, v->plan.nnodes,
		 d.nnodes < v->plan.nnodes ? " (the first 256 are drawn)" : "");
	page = (struct svg_page){
		.width = 2 * MARGIN + columns * (NODE_W + BETWEEN) - BETWEEN,
		.height = HEAD + lines * (node_height(&d) + BETWEEN) + MARGIN -
			  BETWEEN,
		.title = title,
	};
	if (page.width < 2 * MARGIN + legend_width(v))
		page.width = 2 * MARGIN + legend_width(v);
	svg_begin(f, &page);
	svg_text(f, MARGIN, 32, "t1", title);
	draw_legend(&d);
	for (unsigned i = 0; i < d.nnodes; i++)
		draw_node(&d, i);
	svg_end(f);
}

int roles_picture(const struct roles_view *v, const char *path, struct err *err)
{
	if (text_ends(path, ".html"))
		return err_printf(err, "a file of roles is drawn as an SVG: "
				       "--picture=FILE.svg");
	return picture_write(path, draw, v, err);
}
