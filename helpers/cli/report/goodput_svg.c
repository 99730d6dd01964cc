/* SPDX-License-Identifier: Apache-2.0 */
/* A row for each life, on one axis for all of a job; under the pointer is what
 * a part was spent on. */
#include "helpers/cli/picture.h"
#include "helpers/cli/report/goodput.h"
#include "helpers/cli/svg.h"

#define EDGE   16.0
#define LEFT   90.0 /* for names of lives */
#define WIDTH  860.0
#define ROW_H  22.0
#define BOX_H  16.0
#define HEAD_H 56.0 /* of a job */
#define FOOT_H 44.0
#define LEAST  0.5 /* pixels of a part */

static const char *const classes[PART_COUNT] = {
	[PART_QUEUE] = "p0",   [PART_OUTSIDE] = "r5",
	[PART_STARTUP] = "p2", [PART_TRAINING] = "p4",
	[PART_LOST] = "r3",    [PART_DETECTION] = "p1",
	[PART_RESTART] = "p3", [PART_UNKNOWN] = "empty",
};

struct picture {
	const struct goodput *g;
	size_t n;
};

/* Of one job. */
struct rows {
	const struct goodput *g;
	int64_t from_ms;
	double to_ms; /* since then */
	double y;     /* of the first row */
};

static double x_of(const struct rows *r, double ms)
{
	return EDGE + LEFT + WIDTH * ms / r->to_ms;
}

static void put_span_box(FILE *f, const struct rows *r, const struct span *s)
{
	const struct trouble *t =
		s->trouble >= 0 ? &r->g->trouble[s->trouble] : NULL;
	double x = x_of(r, (double)(s->from_ms - r->from_ms));
	double w = x_of(r, (double)(s->to_ms - r->from_ms)) - x;
	char title[300], time[32];

	snprintf(title, sizeof(title), "%s: %s%s%s%s%s", part_name(s->part),
		 time_text((double)(s->to_ms - s->from_ms), time),
		 t ? "; " : "", t ? cause_word(t->cause) : "",
		 t && *t->node ? ", " : "", t ? t->node : "");
	svg_group(f, title);
	svg_box(f, x, r->y + (double)s->life * ROW_H, w > LEAST ? w : LEAST,
		BOX_H, classes[s->part]);
	svg_group_end(f);
}

static void put_axis(FILE *f, const struct rows *r)
{
	double step = time_axis_step(r->to_ms, WIDTH);
	double bottom = r->y + (double)r->g->job->nlives * ROW_H;
	char text[32];

	for (double t = 0; t <= r->to_ms; t += step) {
		svg_text(f, x_of(r, t), r->y - 6, "t3 mid dim",
			 time_axis_text(t, step, text));
		svg_line(f, x_of(r, t), r->y, x_of(r, t), bottom, "thin");
	}
}

static void put_job(FILE *f, const struct rows *r)
{
	const struct goodput_job *job = r->g->job;
	struct goodput_sum sum = SUM_NEW;
	char text[300], ratio[RATIO_SIZE], name[32], time[32];

	goodput_add(&sum, r->g);
	snprintf(text, sizeof(text),
		 "job %s: %s, effective training time ratio %s", job->name,
		 time_text((double)sum.wall_ms, time),
		 ratio_text(&sum, false, ratio));
	svg_text(f, EDGE, r->y - 28, "t5 b", text);
	put_axis(f, r);
	for (size_t i = 0; i < job->nlives; i++) {
		snprintf(name, sizeof(name), "run %lu", job->life[i].requeue);
		svg_text_cut(f, EDGE, r->y + (double)i * ROW_H + 12, LEFT - 8,
			     11, "t3", name);
	}
	for (size_t i = 0; i < r->g->nspans; i++)
		put_span_box(f, r, &r->g->span[i]);
}

static void put_legend(FILE *f, double y)
{
	double x = EDGE;

	for (int i = 0; i < PART_COUNT; i++)
		x = svg_legend(f, x, y, classes[i], part_name((enum part)i));
}

static double height_of(const struct goodput *g)
{
	return HEAD_H + (double)g->job->nlives * ROW_H;
}

static void draw(FILE *f, void *arg)
{
	const struct picture *p = arg;
	struct svg_page page = {
		.width = 2 * EDGE + LEFT + WIDTH,
		.height = EDGE + FOOT_H,
		.title = "dist-train goodput",
	};
	double y = EDGE + HEAD_H;

	for (size_t i = 0; i < p->n; i++)
		page.height += height_of(&p->g[i]);
	svg_begin(f, &page);
	for (size_t i = 0; i < p->n; i++) {
		const struct goodput *g = &p->g[i];
		struct rows rows = {.g = g, .to_ms = 1, .y = y};

		if (g->nspans) {
			rows.from_ms = g->span[0].from_ms;
			rows.to_ms = (double)(g->span[g->nspans - 1].to_ms -
					      rows.from_ms);
		}
		put_job(f, &rows);
		y += height_of(g);
	}
	put_legend(f, page.height - FOOT_H / 2);
	svg_end(f);
}

int goodput_picture(const char *path, const struct goodput *g, size_t n,
		    struct err *err)
{
	struct picture p = {.g = g, .n = n};

	return picture_write(path, draw, &p, err);
}
