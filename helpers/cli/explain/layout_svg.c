/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/layout_svg.h"

#include "core/base/cleanup.h"
#include "core/plan/explain.h"
#include "core/plan/framework.h"
#include "helpers/cli/explain/explain_text.h"
#include "helpers/cli/svg.h"
#include "sys/write_file.h"

#include <stdio.h>
#include <string.h>

#define MARGIN	   16.0
#define HEAD	   76.0 /* three lines of text */
#define TITLE	   22.0 /* of a node */
#define CELL_W	   54.0
#define CELL_H	   34.0
#define GAP	   4.0
#define PER_LINE   8u  /* processes side by side */
#define CHAR_W	   7.5 /* of a node's name, at most */
#define ASPECT	   1.4
#define INK	   "#202020"
#define FAINT	   "#606060"
#define NODE_FILL  "#f4f4f4"
#define NODE_LINE  "#a0a0a0"
#define FIRST_LINE "#c00000"

/* One node and how many of its cells are drawn. */
struct picture_node {
	const char *name;
	unsigned nprocs, drawn;
};

struct picture {
	FILE *f;
	const struct plan *plan;
	struct explain_row *row; /* by rank */
	unsigned *node_of;	 /* by rank */
	unsigned nranks;
	struct picture_node *node; /* in the order of their first rank */
	unsigned nnodes, columns;
	double node_w, node_h;
	bool role[ROLE_COUNT]; /* which there are */
};

static unsigned find_node(struct picture *p, const char *name)
{
	unsigned i = p->nnodes;

	while (i && strcmp(p->node[i - 1].name, name) != 0)
		i--;
	if (i)
		return i - 1;
	p->node[p->nnodes].name = name;
	return p->nnodes++;
}

static int read_ranks(struct picture *p, struct dryrun_view *view,
		      struct err *err)
{
	for (unsigned r = 0; r < p->nranks; r++) {
		if (explain_view_row(view, r, &p->row[r], err) < 0)
			return -1;
		p->node_of[r] = find_node(p, p->row[r].node);
		p->node[p->node_of[r]].nprocs++;
		p->role[p->row[r].role] = true;
	}
	return 0;
}

/* All nodes are drawn alike: as large as the largest needs. */
static void measure(struct picture *p)
{
	unsigned most = 1, lines;
	double name_w = 0;

	for (unsigned i = 0; i < p->nnodes; i++) {
		double w = (double)strlen(p->node[i].name) * CHAR_W;

		name_w = w > name_w ? w : name_w;
		if (p->node[i].nprocs > most)
			most = p->node[i].nprocs;
	}
	lines = (most + PER_LINE - 1) / PER_LINE;
	if (most > PER_LINE)
		most = PER_LINE;
	p->node_w = GAP + most * (CELL_W + GAP);
	if (p->node_w < name_w + 4 * GAP)
		p->node_w = name_w + 4 * GAP;
	p->node_h = TITLE + lines * (CELL_H + GAP);
	for (p->columns = 1; p->columns < p->nnodes; p->columns++) {
		unsigned n = (p->nnodes + p->columns - 1) / p->columns;

		if (p->columns * p->node_w >= ASPECT * n * p->node_h)
			break;
	}
}

/* "dev 3", "dev 0-3", "5 devices". Returns buf. */
static const char *devices(const struct idlist *ids, char *buf, size_t size)
{
	unsigned n = ids->n;

	*buf = '\0';
	if (n == 1)
		snprintf(buf, size, "dev %u", ids->id[0]);
	else if (n && ids->id[n - 1] - ids->id[0] == (int)n - 1)
		snprintf(buf, size, "dev %u-%u", ids->id[0], ids->id[n - 1]);
	else if (n)
		snprintf(buf, size, "%u devices", n);
	return buf;
}

static double node_x(const struct picture *p, unsigned node)
{
	return MARGIN + (node % p->columns) * (p->node_w + 2 * GAP);
}

static double node_y(const struct picture *p, unsigned node)
{
	return HEAD + (node / p->columns) * (p->node_h + 2 * GAP);
}

static void draw_node(const struct picture *p, unsigned node)
{
	double x = node_x(p, node), y = node_y(p, node);

	svg_box(p->f, x, y, p->node_w, p->node_h, NODE_FILL, NODE_LINE, NULL);
	svg_text(p->f, x + 2 * GAP, y + 15, 12, "start", INK,
		 p->node[node].name);
}

static void draw_rank(struct picture *p, unsigned rank)
{
	const struct explain_row *r = &p->row[rank];
	struct picture_node *node = &p->node[p->node_of[rank]];
	unsigned at = node->drawn++;
	double x = node_x(p, p->node_of[rank]) + GAP +
		   (at % PER_LINE) * (CELL_W + GAP);
	double y = node_y(p, p->node_of[rank]) + TITLE +
		   (at / PER_LINE) * (CELL_H + GAP);
	bool first = rank == 0 && p->plan->coordinator.addr;
	char text[32], title[400];

	snprintf(title, sizeof(title), "rank %u (%s) on %s, local rank %u, %s",
		 rank, role_name(r->role), r->node, r->local_rank,
		 r->devices.n ? devices(&r->devices, text, sizeof(text))
			      : "no device");
	svg_box(p->f, x, y, CELL_W, CELL_H, svg_role_colour(r->role),
		first ? FIRST_LINE : NULL, title);
	snprintf(text, sizeof(text), "%u", rank);
	svg_text(p->f, x + CELL_W / 2, y + (r->devices.n ? 16 : 22), 14,
		 "middle", INK, text);
	svg_text(p->f, x + CELL_W / 2, y + 29, 10, "middle", FAINT,
		 devices(&r->devices, text, sizeof(text)));
	if (first)
		svg_text(p->f, x + 3, y + 13, 13, "start", FIRST_LINE, "*");
}

/* Each role with its colour, and what the star is. */
static void draw_legend(const struct picture *p)
{
	double x = MARGIN;

	for (int i = 0; i < ROLE_COUNT; i++) {
		if (!p->role[i])
			continue;
		svg_box(p->f, x, 56, 12, 12, svg_role_colour((enum role)i),
			NULL, NULL);
		svg_text(p->f, x + 17, 66, 12, "start", INK,
			 role_name((enum role)i));
		x += 34 + 8 * (double)strlen(role_name((enum role)i));
	}
}

static void draw_head(const struct picture *p)
{
	const struct plan *plan = p->plan;
	const struct coordinator *c = &plan->coordinator;
	unsigned more = plan->world_size - p->nranks;
	char text[512];

	snprintf(text, sizeof(text), "%s: %s mode, %u process%s on %u node%s%s",
		 plan->request->framework->name,
		 plan->resolved.device_mode ? "device" : "task",
		 plan->world_size, plan->world_size == 1 ? "" : "es",
		 plan->nnodes, plan->nnodes == 1 ? "" : "s",
		 more ? " (not all of them are drawn)" : "");
	svg_text(p->f, MARGIN, 24, 16, "start", INK, text);
	if (c->addr) {
		snprintf(text, sizeof(text), "* coordinator %s, port %u",
			 c->addr, c->port);
		svg_text(p->f, MARGIN, 44, 13, "start", FIRST_LINE, text);
	}
	draw_legend(p);
}

static void draw(struct picture *p)
{
	unsigned lines = (p->nnodes + p->columns - 1) / p->columns;
	double w = 2 * MARGIN + p->columns * (p->node_w + 2 * GAP);

	svg_begin(p->f, w < 480 ? 480 : w,
		  HEAD + MARGIN + lines * (p->node_h + 2 * GAP));
	draw_head(p);
	for (unsigned i = 0; i < p->nnodes; i++)
		draw_node(p, i);
	for (unsigned r = 0; r < p->nranks; r++)
		draw_rank(p, r);
	svg_end(p->f);
}

static int draw_into(struct picture *p, const char *path, struct err *err)
{
	cleanup_free char *text = NULL;
	size_t size = 0;

	p->f = open_memstream(&text, &size);
	if (!p->f)
		return err_memory(err);
	draw(p);
	if (fclose(p->f) != 0)
		return err_memory(err);
	return write_file(path, text, size, 0644, err);
}

int layout_svg_write(struct dryrun_view *view, const char *path,
		     struct err *err)
{
	unsigned n = view->plan.world_size;
	struct picture p = {.nranks = n < LAYOUT_RANKS_MAX ? n
							   : LAYOUT_RANKS_MAX};
	int rc = -1;

	p.row = calloc(p.nranks, sizeof(*p.row));
	p.node_of = calloc(p.nranks, sizeof(*p.node_of));
	p.node = calloc(p.nranks, sizeof(*p.node));
	if (!p.row || !p.node_of || !p.node)
		err_memory(err);
	else
		rc = read_ranks(&p, view, err);
	if (rc == 0)
		rc = dryrun_view_rank(view, 0, err);
	if (rc == 0) {
		p.plan = &view->plan;
		measure(&p);
		rc = draw_into(&p, path, err);
	}
	free(p.row);
	free(p.node_of);
	free(p.node);
	return rc;
}
