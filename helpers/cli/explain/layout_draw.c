/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/layout.h"

#include "helpers/cli/picture.h"

#include <string.h>

#define MARGIN	  24.0
#define TRUNK	  14.0 /* from the margin to the nodes: the line of arrows */
#define TITLE	  24.0 /* of a node */
#define CELL_W	  58.0
#define CELL_H	  36.0
#define FOLD_H	  12.0 /* a third line in each cell */
#define BAR_H	  22.0
#define GAP	  5.0
#define BETWEEN	  22.0 /* nodes, and the line above each row */
#define PER_LINE  8u   /* cells side by side */
#define ASPECT	  1.4
#define LINE	  16.0 /* of text */
#define HEAD_LINE 20.0 /* the same, in the heading */
#define MIN_W	  640.0
#define T2_SIZE	  13.0	/* of "t2" */
#define BOLD_W	  0.68	/* as SVG_CHAR_W, of bold text */
#define PROSE_W	  0.52	/* the same, of sentences */
#define BAR_W	  170.0 /* at least */

struct picture {
	FILE *f;
	const struct layout *l;
	const struct layout_drawing *d;
	unsigned columns;
	bool folded;
	double node_w, node_h, cell_h, top; /* of the first row */
};

static const char *pick(bool which, const char *yes, const char *no)
{
	return which ? yes : no;
}

/* All nodes are drawn alike: as large as the largest needs. */
static void measure(struct picture *p)
{
	unsigned most = 1, bars = 0, lines;
	double name_w = 0;

	for (unsigned i = 0; i < p->d->nnodes; i++) {
		const struct layout_node *n = &p->l->node[i];
		double w = (double)(strlen(n->name) + strlen(n->nic)) * 13 *
				   BOLD_W +
			   (n->equal > 1 ? 80 : 0);

		p->folded = p->folded || n->equal > 1;
		name_w = w > name_w ? w : name_w;
		most = n->ncells > most ? n->ncells : most;
		bars = n->nbars > bars ? n->nbars : bars;
	}
	if (name_w > 420)
		name_w = 420;
	lines = (most + PER_LINE - 1) / PER_LINE;
	most = most > PER_LINE ? PER_LINE : most;
	p->cell_h = CELL_H + (p->folded ? FOLD_H : 0);
	p->node_w = GAP + most * (CELL_W + GAP);
	if (p->node_w < name_w + 6 * GAP)
		p->node_w = name_w + 6 * GAP;
	if (bars && p->node_w < BAR_W)
		p->node_w = BAR_W;
	p->node_h = TITLE + bars * (BAR_H + GAP) + lines * (p->cell_h + GAP);
	for (p->columns = 1; p->columns < p->d->nnodes; p->columns++) {
		unsigned n = (p->d->nnodes + p->columns - 1) / p->columns;

		if (p->columns * p->node_w >= ASPECT * n * p->node_h)
			break;
	}
}

static double node_x(const struct picture *p, unsigned node)
{
	return MARGIN + TRUNK + (node % p->columns) * (p->node_w + BETWEEN);
}

static double node_y(const struct picture *p, unsigned node)
{
	return p->top + (node / p->columns) * (p->node_h + BETWEEN);
}

static void draw_star(const struct picture *p, double x, double y)
{
	svg_text(p->f, x, y, "t5 star", "\xe2\x98\x85");
}

static void draw_bar(const struct picture *p, const struct layout_item *i,
		     double x, double y, bool star)
{
	double w = p->node_w - 2 * GAP;
	char text[400], class[32];

	snprintf(class, sizeof(class), "%s%s",
		 i->kind == LAYOUT_SERVICE ? "r5" : svg_role_class(i->role),
		 star ? " first" : "");
	svg_box(p->f, x, y, w, BAR_H, class);
	layout_item_label(p->l, p->d, i, text, sizeof(text));
	svg_text_cut(p->f, x + w / 2, y + 15, w - 30, 12, "t2 mid on", text);
	if (star)
		draw_star(p, x + 4, y + 16);
}

/* Its number, to which one it goes in a fold, and its devices or role. */
static void draw_cell(const struct picture *p, const struct layout_item *i,
		      double x, double y, bool star)
{
	char text[32], class[32];
	double at = y + 16;

	snprintf(class, sizeof(class), "%s%s",
		 i->kind == LAYOUT_SLOT ? "empty" : svg_role_class(i->role),
		 star ? " first" : "");
	svg_box(p->f, x, y, CELL_W, p->cell_h, class);
	layout_item_label(p->l, p->d, i, text, sizeof(text));
	if (*text)
		svg_text(p->f, x + CELL_W / 2, at, "t5 mid on", text);
	if (i->numbered && i->last != i->number) {
		snprintf(text, sizeof(text), "to %u", i->last);
		svg_text(p->f, x + CELL_W / 2, at + 12, "t4 mid on", text);
	}
	layout_item_below(i, text, sizeof(text));
	svg_text(p->f, x + CELL_W / 2,
		 i->numbered ? y + p->cell_h - 7 : y + p->cell_h / 2 + 4,
		 pick(i->kind == LAYOUT_SLOT, "t4 mid dim", "t4 mid ond"),
		 text);
	if (i->crosses)
		svg_box(p->f, x, y + p->cell_h - 4, CELL_W, 4, "bad");
	if (star)
		draw_star(p, x + 2, y + 14);
}

static void draw_items(const struct picture *p, const struct layout_node *n,
		       double x, double y)
{
	unsigned cell = 0;
	char title[512];

	for (size_t at = n->first; at < n->first + n->nbars + n->ncells; at++) {
		const struct layout_item *i = &p->l->item[at];
		bool star = (long)at == p->l->meeting;

		layout_item_text(p->l, i, title, sizeof(title));
		svg_group(p->f, title);
		if (layout_is_bar(i->kind)) {
			draw_bar(p, i, x + GAP, y, star);
			y += BAR_H + GAP;
		} else {
			draw_cell(p, i,
				  x + GAP + (cell % PER_LINE) * (CELL_W + GAP),
				  y + (cell / PER_LINE) * (p->cell_h + GAP),
				  star);
			cell++;
		}
		svg_group_end(p->f);
	}
}

static void draw_node(const struct picture *p, unsigned node)
{
	const struct layout_node *n = &p->l->node[node];
	double x = node_x(p, node), y = node_y(p, node), name_w;
	char text[32];

	for (int behind = n->equal > 1 ? 2 : 0; behind > 0; behind--)
		svg_box(p->f, x + 4 * behind, y + 4 * behind, p->node_w,
			p->node_h, "node");
	svg_box(p->f, x, y, p->node_w, p->node_h,
		pick(n->spare, "empty", "node"));
	name_w = p->node_w - 4 * GAP - (n->equal > 1 ? 80 : 0) -
		 (double)strlen(n->nic) * 11 * SVG_CHAR_W;
	svg_text_cut(p->f, x + 2 * GAP, y + 16, name_w, 14.2, "t2 b", n->name);
	if (n->equal > 1) {
		snprintf(text, sizeof(text), "%u nodes%s%s", n->equal,
			 pick(*n->nic, ", ", ""), n->nic);
		svg_text(p->f, x + p->node_w - 2 * GAP, y + 16, "t3 dim end",
			 text);
	} else if (*n->nic) {
		svg_text(p->f, x + p->node_w - 2 * GAP, y + 16, "t3 dim end",
			 n->nic);
	}
	if (n->spare)
		svg_text(p->f, x + p->node_w / 2, y + (TITLE + p->node_h) / 2,
			 "t2 mid dim", n->equal > 1 ? "spares" : "spare");
	draw_items(p, n, x, y + TITLE);
}

/* From every node a line to the one above its row, from there to the margin,
 * and up to the coordinator. */
static void draw_arrows(const struct picture *p, double meeting_y)
{
	double trunk = MARGIN, bottom = meeting_y;

	for (unsigned node = 0; node < p->d->nnodes; node++) {
		double x = node_x(p, node) + p->node_w / 2;
		double y = node_y(p, node) - BETWEEN / 2;

		if (!p->l->node[node].spare)
			svg_line(p->f, x, y, x, y + BETWEEN / 2, "bus");
		if (node % p->columns == 0)
			bottom = y;
		if (node % p->columns == p->columns - 1 ||
		    node + 1 == p->d->nnodes)
			svg_line(p->f, trunk, y, x, y, "bus");
	}
	svg_line(p->f, trunk, meeting_y, trunk, bottom, "bus");
	svg_line(p->f, trunk, meeting_y, MARGIN + TRUNK - 6, meeting_y, "bus");
	svg_tip(p->f, MARGIN + TRUNK - 1, meeting_y, 8, "tip");
}

static void draw_meeting(struct picture *p)
{
	double w = (double)strlen(p->d->meeting) * 13 * SVG_CHAR_W + 36;
	double x = MARGIN + TRUNK, y = p->top;

	if (!*p->d->meeting)
		return;
	p->top += 26 + BETWEEN;
	if (p->d->nnodes > 1)
		draw_arrows(p, y + 13);
	svg_box(p->f, x, y, w, 26, "pill");
	draw_star(p, x + 8, y + 18);
	svg_text(p->f, x + 28, y + 18, "t2", p->d->meeting);
}

/* Each role with its colour, and what the numbers mean. */
static void draw_legend(const struct picture *p, double y)
{
	double x = MARGIN;

	for (int i = 0; i < ROLE_COUNT; i++)
		if (p->l->role[i])
			x = svg_legend(p->f, x, y, svg_role_class((enum role)i),
				       role_name((enum role)i));
	if (p->l->services)
		x = svg_legend(p->f, x, y, "r5", "service of the step");
	if (p->l->nslots)
		x = svg_legend(p->f, x, y, "empty", "room for a worker");
	if (*p->l->groups)
		x = svg_legend(p->f, x, y, "bad", "in a group that crosses");
	svg_text(p->f, x, y, "t3 dim",
		 "number: rank; dev: device as its node counts");
}

/* The line at *at, which moves behind it. */
static void put_line(FILE *f, double y, const char *class, const char **at)
{
	int len = (int)strcspn(*at, "\n");
	char text[GROUPS_LINE_SIZE];

	snprintf(text, sizeof(text), "%.*s", len, *at);
	svg_text(f, MARGIN, y, class, text);
	*at += len + ((*at)[len] == '\n');
}

static double draw_head(const struct picture *p)
{
	double y = 36;

	svg_text(p->f, MARGIN, y, "t1", p->d->title);
	if (*p->d->command)
		svg_text_cut(p->f, MARGIN, y += 22, MIN_W - 2 * MARGIN, 13,
			     "t2 code dim", p->d->command);
	svg_text(p->f, MARGIN, y += 20, "t2 dim", p->d->mode);
	for (const char *at = p->l->groups; *at;)
		put_line(p->f, y += HEAD_LINE, "t2 red", &at);
	draw_legend(p, y += 26);
	return y + 16;
}

static void draw_examples(const struct picture *p, double y)
{
	for (const char *at = p->d->examples; *at; y += LINE)
		put_line(p->f, y, "t3 dim", &at);
}

/* How many lines a text has, and the longest of them. */
static unsigned count_lines(const char *lines, size_t *ret_longest)
{
	unsigned n = 0;

	*ret_longest = 0;
	for (; *lines; n++) {
		size_t len = strcspn(lines, "\n");

		if (len > *ret_longest)
			*ret_longest = len;
		lines += len + (lines[len] == '\n');
	}
	return n;
}

/* The nodes side by side, or the longest line of the heading. */
static double width_of(const struct picture *p)
{
	double nodes = TRUNK + p->columns * (p->node_w + BETWEEN);
	size_t longest, mode = strlen(p->d->mode);
	double prose, width;

	count_lines(p->l->groups, &longest);
	prose = (double)(mode > longest ? mode : longest) * T2_SIZE * PROSE_W;
	width = 2 * MARGIN + (prose > nodes ? prose : nodes);
	return width > MIN_W ? width : MIN_W;
}

void layout_draw(FILE *f, const struct layout *l,
		 const struct layout_drawing *d)
{
	struct picture p = {.f = f, .l = l, .d = d};
	struct svg_page page = {.title = d->title, .desc = d->mode};
	size_t longest;
	unsigned rows;
	double head = (*d->command ? 120 : 98) +
		      count_lines(l->groups, &longest) * HEAD_LINE;

	measure(&p);
	rows = (d->nnodes + p.columns - 1) / p.columns;
	page.width = width_of(&p);
	page.height = head + (*d->meeting ? 26 + BETWEEN : 0) +
		      rows * (p.node_h + BETWEEN) +
		      count_lines(d->examples, &longest) * LINE + MARGIN;
	svg_begin(f, &page);
	p.top = draw_head(&p);
	draw_meeting(&p);
	for (unsigned i = 0; i < d->nnodes; i++)
		draw_node(&p, i);
	draw_examples(&p, node_y(&p, (rows - 1) * p.columns) + p.node_h +
				  BETWEEN + 4);
	svg_end(f);
}
