/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/timeline_facts.h"

#include "core/base/text.h"
#include "helpers/cli/picture.h"
#include "helpers/cli/svg.h"

#include <string.h>

#define LEFT	  200.0 /* names */
#define WIDTH	  960.0 /* of the time axes */
#define PAGE_W	  (LEFT + WIDTH + 40)
#define MARGIN	  24.0
#define AXIS_H	  56.0
#define FOOT	  20.0
#define ROW_MAX	  20.0
#define ROW_PAGE  16.0
#define ROW_MIN	  2.0
#define ROWS_HIGH 1400.0 /* what all rows may take */
#define ROW_TEXT  11.0	 /* a row of less has no text of its own */
#define END_W	  3.0

struct drawing {
	FILE *f;
	const struct timeline_picture *p;
	struct panel panel[PANELS_MAX];
	unsigned npanels;
	double row; /* height of one */
	double top; /* of the first row */
	double bar; /* height of a bar in it */
};

static const char *const classes[PHASE_COUNT] = {
	[PHASE_WAITING] = "p0", [PHASE_TABLE] = "p1",	[PHASE_STARTING] = "p2",
	[PHASE_RUNNING] = "p3", [PHASE_SERVING] = "p4",
};

static double y_of(const struct drawing *d, unsigned rank)
{
	return d->top + rank / d->p->per_row * d->row;
}

/* How a process ended, or that the record doesn't say it. */
static const char *end_class(const struct life *l)
{
	if (l->at_ms[PHASE_ENDED] == RECORD_NEVER)
		return "tip";
	if (l->by_step)
		return "ours";
	return life_failed(l) || l->lost ? "bad" : "good";
}

/* In one panel. A life without an end has a tip to the right. */
static void draw_bars(const struct drawing *d, const struct panel *p,
		      const struct life *l)
{
	const struct record *r = d->p->record;
	double y = y_of(d, l->rank), from, to, end = l->at_ms[PHASE_ENDED];

	for (int phase = 0; phase < PHASE_COUNT; phase++)
		if (life_phase(r, l, (enum proc_phase)phase, &from, &to) &&
		    from < p->to_ms)
			svg_box(d->f, panel_x(p, from), y,
				panel_x(p, to) - panel_x(p, from), d->bar,
				classes[phase]);
	if (end == RECORD_NEVER && p->to_ms >= r->end_ms)
		svg_tip(d->f, panel_x(p, r->end_ms) + d->bar / 2,
			y + d->bar / 2, d->bar, "tip");
	else if (end != RECORD_NEVER && end <= p->to_ms)
		svg_box(d->f, panel_x(p, end) - END_W / 2, y, END_W, d->bar,
			end_class(l));
}

static void draw_life(const struct drawing *d, const struct life *l)
{
	char name[48], end[32], round[32], title[300];

	snprintf(title, sizeof(title), "%s (%s) on %s, %s: %s%s",
		 life_name(l, name), l->role, l->node,
		 round_name(l->round, round), life_failed(l) ? "failed, " : "",
		 life_end(l, end));
	svg_group(d->f, title);
	for (unsigned i = 0; i < d->npanels; i++)
		draw_bars(d, &d->panel[i], l);
	svg_group_end(d->f);
}

/* Each node once, and each rank where there is room. */
static void draw_names(const struct drawing *d)
{
	const struct record *r = &d->p->rows;
	bool roomy = d->row >= ROW_TEXT;
	double free_from = 0;
	char name[48];

	for (size_t i = 0; i < r->n; i++) {
		const struct life *l = &r->life[i];
		double y = y_of(d, l->rank) + (roomy ? d->bar / 2 + 4 : 8);

		if (i && l[-1].rank == l->rank)
			continue;
		if (roomy)
			svg_text(d->f, LEFT - 10, y, "t3 end",
				 life_name(l, name));
		if ((i && !strcmp(l[-1].node, l->node)) || y < free_from)
			continue;
		free_from = y + ROW_TEXT;
		svg_text_cut(d->f, MARGIN, y, LEFT - MARGIN - (roomy ? 80 : 12),
			     11, "t3 b", l->node);
	}
}

static void draw_failure(const struct drawing *d)
{
	const struct life *bad = d->p->facts->failed;
	double bottom = d->top + d->p->rows.nranks * d->row;

	if (!bad)
		return;
	for (unsigned i = 0; i < d->npanels; i++) {
		const struct panel *p = &d->panel[i];
		double x = panel_x(p, bad->at_ms[PHASE_ENDED]);
		bool right = x < p->x + p->width * 0.7;

		if (bad->at_ms[PHASE_ENDED] > p->to_ms)
			continue;
		svg_line(d->f, x, d->top - 4, x, bottom, "redline");
		svg_text(d->f, x + (right ? 5 : -5),
			 y_of(d, bad->rank) + d->row / 2 + 4,
			 right ? "t3 b halo" : "t3 b halo end",
			 "first failure");
	}
}

/* A line where a node was lost. */
static void draw_marks(const struct drawing *d)
{
	double bottom = d->top + d->p->rows.nranks * d->row;
	const struct record *r = d->p->record;
	char text[FACT_SIZE];

	for (size_t i = 0; i < r->nmarks; i++) {
		const struct node_mark *m = &r->mark[i];

		if (m->mark != MARK_LOST && m->mark != MARK_CONDEMNED)
			continue;
		svg_group(d->f, mark_text(m, text));
		for (unsigned k = 0; k < d->npanels; k++) {
			double x = panel_x(&d->panel[k], m->at_ms);

			if (m->at_ms <= d->panel[k].to_ms)
				svg_line(d->f, x, d->top - 4, x, bottom,
					 "redline");
		}
		svg_group_end(d->f);
	}
}

static bool has_end(const struct record *r, const char *class)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(end_class(&r->life[i]), class))
			return true;
	return false;
}

/* Only what there is. */
static void draw_legend(const struct drawing *d, double y)
{
	static const struct {
		const char *class, *text;
	} ends[] = {
		{"good", "succeeded"},
		{"bad", "failed"},
		{"ours", "ended by the step"},
		{"tip", "no end in the record"},
	};
	double x = MARGIN;

	for (int i = 0; i < PHASE_COUNT; i++)
		if (classes[i] && d->p->facts->phase[i].life)
			x = svg_legend(d->f, x, y, classes[i],
				       phase_name((enum proc_phase)i));
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (has_end(d->p->record, ends[i].class))
			x = svg_legend(d->f, x, y, ends[i].class, ends[i].text);
}

static void title_text(const struct drawing *d, char *buf, size_t size)
{
	const struct record *r = d->p->record;
	char fact[FACT_SIZE];

	*buf = '\0';
	text_add(buf, size, "", "step %s: %s%s%s", r->step, r->framework,
		 *r->framework ? ", " : "", facts_size(r, d->p->facts, fact));
}

/* What a line of the head says; "" for nothing. */
static double draw_line(const struct drawing *d, double y, const char *class,
			const char *text)
{
	if (!*text)
		return y;
	svg_text_cut(d->f, MARGIN, y, PAGE_W - 2 * MARGIN, 13, class, text);
	return y + 19;
}

/* Returns where it ends. */
static double draw_head(const struct drawing *d, const char *title)
{
	const struct record *r = d->p->record;
	const struct facts *facts = d->p->facts;
	char text[FACT_SIZE], begin[40];
	double y = 36;

	svg_text_cut(d->f, MARGIN, y, PAGE_W - 2 * MARGIN, 20, "t1", title);
	y = draw_line(d, y + 22, "t2 code dim", r->command);
	snprintf(text, sizeof(text), "%s%s%s%s", *r->job_name ? "job " : "",
		 r->job_name, *r->job_name ? ", " : "",
		 utc_text(r->begin_ms, begin));
	y = draw_line(d, y, "t2 dim", text);
	facts_arrival(facts, text);
	y = draw_line(d, y, "t2", text);
	facts_output(facts, text);
	y = draw_line(d, y, "t2", text);
	facts_failure(facts, text);
	y = draw_line(d, y, "t2 red", text);
	facts_loss(r, text);
	y = draw_line(d, y, "t2 red", text);
	if (d->p->per_row > 1) {
		snprintf(text, sizeof(text),
			 "each row stands for %u ranks and shows the slowest; "
			 "a page (-o FILE.html) has all of them",
			 d->p->per_row);
		y = draw_line(d, y, "t2 dim", text);
	}
	draw_legend(d, y + 6);
	return y + 12;
}

/* As high as draw_head() makes it. */
static double head_height(const struct timeline_picture *p)
{
	char text[FACT_SIZE];
	double lines = 1 + (*p->record->command != '\0') + (p->per_row > 1);

	facts_arrival(p->facts, text);
	lines += *text != '\0';
	facts_output(p->facts, text);
	lines += *text != '\0';
	facts_failure(p->facts, text);
	lines += *text != '\0';
	facts_loss(p->record, text);
	lines += *text != '\0';
	return 36 + 22 + lines * 19 + 12;
}

static void draw_axes(const struct drawing *d, double y)
{
	for (unsigned i = 0; i < d->npanels; i++)
		panel_axis(d->f, &d->panel[i], d->p->facts, y);
}

static void draw_rows(const struct drawing *d)
{
	double bottom = d->top + d->p->rows.nranks * d->row;

	for (unsigned i = 0; i < d->npanels; i++)
		panel_lines(d->f, &d->panel[i], d->p->facts, d->top - 2,
			    bottom);
	for (size_t i = 0; i < d->p->rows.n; i++)
		draw_life(d, &d->p->rows.life[i]);
	draw_names(d);
	draw_marks(d);
	draw_failure(d);
}

static void draw_picture(struct drawing *d, const char *title, const char *desc)
{
	struct svg_page page = {PAGE_W, 0, title, desc};

	d->top = head_height(d->p) + AXIS_H;
	page.height = d->top + d->p->rows.nranks * d->row + FOOT;
	svg_begin(d->f, &page);
	draw_axes(d, draw_head(d, title) + AXIS_H);
	draw_rows(d);
	svg_end(d->f);
}

/* The axes stay in sight while the rows move. */
static void draw_page(struct drawing *d, const char *title, const char *desc)
{
	struct svg_page head = {PAGE_W, head_height(d->p) + 4, title, desc};
	struct svg_page axis = {PAGE_W, AXIS_H, "times", NULL};
	struct svg_page rows = {PAGE_W, 0, "ranks", NULL};

	d->top = 4;
	rows.height = d->top + d->p->rows.nranks * d->row + FOOT;
	picture_page_begin(d->f, title, "rank 12, node3, ps, failed");
	svg_begin(d->f, &head);
	draw_head(d, title);
	svg_end(d->f);
	fputs("<div class=\"axis\">\n", d->f);
	svg_begin(d->f, &axis);
	draw_axes(d, AXIS_H - 2);
	svg_end(d->f);
	fputs("</div>\n", d->f);
	svg_begin(d->f, &rows);
	draw_rows(d);
	svg_end(d->f);
	picture_page_end(d->f);
}

void timeline_svg(FILE *f, void *arg)
{
	const struct timeline_picture *p = arg;
	struct drawing d = {.f = f, .p = p, .row = ROWS_HIGH / p->rows.nranks};
	char title[400], desc[FACT_SIZE];

	if (d.row > ROW_MAX)
		d.row = ROW_MAX;
	if (d.row < ROW_MIN)
		d.row = ROW_MIN;
	if (p->page)
		d.row = ROW_PAGE;
	d.bar = d.row > ROW_TEXT ? d.row - 4 : d.row + 0.3; /* no seams */
	d.npanels = panels_find(p->record, p->facts, LEFT, WIDTH, d.panel);
	title_text(&d, title, sizeof(title));
	facts_failure(p->facts, desc);
	if (p->page)
		draw_page(&d, title, desc);
	else
		draw_picture(&d, title, desc);
}
