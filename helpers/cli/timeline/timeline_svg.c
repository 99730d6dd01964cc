/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"
#include "helpers/cli/svg.h"
#include "helpers/cli/timeline/timeline_cmd.h"

#include <math.h>
#include <string.h>

#define LEFT	  170.0 /* names */
#define WIDTH	  900.0 /* of the time axis */
#define RIGHT	  30.0
#define HEAD	  118.0
#define FOOT	  20.0
#define ROW_MAX	  20.0
#define ROW_MIN	  3.0
#define ROWS_HIGH 1400.0 /* what all rows may take */
#define ROW_TEXT  11.0	 /* a row of less has no text of its own */
#define TICKS	  8
#define INK	  "#202020"
#define FAINT	  "#d8d8d8"
#define WELL	  "#0b7a4b"
#define WRONG	  "#c00000"

/* What a process does between two events. */
static const struct phase {
	enum record_event from, to;
	const char *colour, *name;
} phases[] = {
	{RECORD_PLANNED, RECORD_EXCHANGED, "#b8b8b8", "waiting for nodes"},
	{RECORD_EXCHANGED, RECORD_STARTED, "#e3b5d0", "rank table written"},
	{RECORD_STARTED, RECORD_OUTPUT, "#f3c566", "starting, no output yet"},
	{RECORD_OUTPUT, RECORD_ENDED, "#9ccfee", "runs"},
};

#define NPHASES (sizeof(phases) / sizeof(phases[0]))

struct drawing {
	FILE *f;
	const struct record *record;
	double row; /* height of one */
	double scale;
};

static double x_of(const struct drawing *d, double ms)
{
	return LEFT + ms * d->scale;
}

static double y_of(const struct drawing *d, unsigned rank)
{
	return HEAD + rank * d->row;
}

const char *life_end(const struct life *l, char buf[32])
{
	if (l->at_ms[RECORD_ENDED] == RECORD_NEVER)
		snprintf(buf, 32, "no end in the record");
	else if (l->signal)
		snprintf(buf, 32, "signal %d", l->signal);
	else
		snprintf(buf, 32, l->code ? "exit code %d" : "ok", l->code);
	return buf;
}

/* When a phase is over: its end, a later event, or the record's end. */
static double phase_end(const struct record *r, const struct life *l,
			enum record_event to)
{
	for (int e = to; e < RECORD_EVENTS; e++)
		if (l->at_ms[e] != RECORD_NEVER)
			return l->at_ms[e];
	return r->end_ms;
}

static void draw_end(const struct drawing *d, const struct life *l)
{
	double h = d->row > ROW_TEXT ? d->row - 3 : d->row;
	double x = x_of(d, l->at_ms[RECORD_ENDED]), w = 3;

	svg_box(d->f, x - w / 2, y_of(d, l->rank), w, h,
		l->by_us	 ? INK
		: life_failed(l) ? WRONG
				 : WELL,
		NULL, NULL);
}

static void draw_life(const struct drawing *d, const struct life *l)
{
	double h = d->row > ROW_TEXT ? d->row - 3 : d->row;
	char end[32], title[256];

	snprintf(title, sizeof(title), "rank %u (%s) on %s: %s", l->rank,
		 l->role, l->node, life_end(l, end));
	for (size_t i = 0; i < NPHASES; i++) {
		double from = l->at_ms[phases[i].from], to;

		if (from == RECORD_NEVER)
			continue;
		to = phase_end(d->record, l, phases[i].to);
		svg_box(d->f, x_of(d, from), y_of(d, l->rank),
			(to - from) * d->scale, h, phases[i].colour, NULL,
			title);
	}
	if (l->at_ms[RECORD_ENDED] != RECORD_NEVER)
		draw_end(d, l);
}

/* Each rank where there is room, each node's first rank else, and some nodes
 * only where even these are too near. */
static void draw_names(const struct drawing *d)
{
	const struct record *r = d->record;
	double free_from = 0;
	char text[128];

	for (size_t i = 0; i < r->n; i++) {
		const struct life *l = &r->life[i];
		bool first = i == 0 || strcmp(l[-1].node, l->node) != 0;
		double y = y_of(d, l->rank);

		if (i && l[-1].rank == l->rank)
			continue;
		if (d->row < ROW_TEXT && (!first || y < free_from))
			continue;
		free_from = y + ROW_TEXT;
		snprintf(text, sizeof(text), "%.14s rank %u", l->node, l->rank);
		svg_text(d->f, LEFT - 8,
			 y + (d->row < ROW_TEXT ? 9 : d->row / 2 + 3),
			 d->row < ROW_TEXT ? 10 : 11, "end", INK, text);
	}
}

/* A step of 1, 2 or 5 by powers of ten. */
static double tick_ms(double span)
{
	double step = pow(10, floor(log10(span / TICKS)));

	if (span / step > 5 * TICKS)
		return 10 * step;
	if (span / step > 2 * TICKS)
		return 5 * step;
	return span / step > TICKS ? 2 * step : step;
}

static void draw_axis(const struct drawing *d)
{
	double end = d->record->end_ms, step = tick_ms(end > 1 ? end : 1);
	double bottom = y_of(d, d->record->nranks);
	char text[32];

	for (double t = 0; t <= end; t += step) {
		svg_line(d->f, x_of(d, t), HEAD - 4, x_of(d, t), bottom, FAINT);
		snprintf(text, sizeof(text), "%.*f s",
			 step < 10     ? 3
			 : step < 1000 ? 2
				       : 0,
			 t / 1000);
		svg_text(d->f, x_of(d, t), HEAD - 8, 11, "middle", INK, text);
	}
}

static void draw_legend(const struct drawing *d)
{
	double x = LEFT;

	for (size_t i = 0; i < NPHASES; i++) {
		svg_box(d->f, x, 80, 12, 12, phases[i].colour, NULL, NULL);
		svg_text(d->f, x + 17, 90, 12, "start", INK, phases[i].name);
		x += 40 + 7 * (double)strlen(phases[i].name);
	}
	svg_box(d->f, x, 80, 3, 12, WELL, NULL, NULL);
	svg_text(d->f, x + 9, 90, 12, "start", INK, "succeeded");
	svg_box(d->f, x + 100, 80, 3, 12, WRONG, NULL, NULL);
	svg_text(d->f, x + 109, 90, 12, "start", INK, "failed");
	svg_box(d->f, x + 225, 80, 3, 12, INK, NULL, NULL);
	svg_text(d->f, x + 234, 90, 12, "start", INK, "ended by the step");
}

/* Which rank something came to last. */
static void last_text(const struct record *r, enum record_event event,
		      const char *what, char *buf, size_t size)
{
	const struct life *l = record_last(r, event);

	if (l)
		text_add(buf, size, "; ", "%s: rank %u on %s after %.3f s",
			 what, l->rank, l->node, l->at_ms[event] / 1000);
}

static void draw_head(const struct drawing *d)
{
	const struct record *r = d->record;
	const struct life *bad = record_first_failure(r);
	char text[512], end[32];

	snprintf(text, sizeof(text), "step %s: %u process%s, %.3f s", r->step,
		 r->nranks, r->nranks == 1 ? "" : "es", r->end_ms / 1000);
	svg_text(d->f, 16, 24, 16, "start", INK, text);
	*text = '\0';
	last_text(r, RECORD_STARTED, "last to start", text, sizeof(text));
	last_text(r, RECORD_OUTPUT, "last to write its first output", text,
		  sizeof(text));
	svg_text(d->f, 16, 46, 13, "start", INK, text);
	if (!bad)
		return;
	snprintf(text, sizeof(text),
		 "first failure: rank %u (%s) on %s, %s after %.3f s",
		 bad->rank, bad->role, bad->node, life_end(bad, end),
		 bad->at_ms[RECORD_ENDED] / 1000);
	svg_text(d->f, 16, 66, 13, "start", WRONG, text);
}

/* A line through all rows where the first failure was, and a mark at its row.
 */
static void draw_failure(const struct drawing *d)
{
	const struct life *bad = record_first_failure(d->record);
	double x, y;

	if (!bad)
		return;
	x = x_of(d, bad->at_ms[RECORD_ENDED]);
	y = y_of(d, bad->rank) + d->row / 2;
	svg_line(d->f, x, HEAD - 4, x, y_of(d, d->record->nranks), WRONG);
	if (bad->at_ms[RECORD_ENDED] < d->record->end_ms * 0.8)
		svg_text(d->f, x + 6, y + 4, 12, "start", WRONG,
			 "first failure");
	else
		svg_text(d->f, x - 6, y + 4, 12, "end", WRONG, "first failure");
}

void timeline_svg(FILE *f, const struct record *r)
{
	struct drawing d = {
		.f = f,
		.record = r,
		.row = ROWS_HIGH / r->nranks,
		.scale = WIDTH / (r->end_ms > 1 ? r->end_ms : 1),
	};

	if (d.row > ROW_MAX)
		d.row = ROW_MAX;
	if (d.row < ROW_MIN)
		d.row = ROW_MIN;
	svg_begin(f, LEFT + WIDTH + RIGHT, y_of(&d, r->nranks) + FOOT);
	draw_head(&d);
	draw_legend(&d);
	draw_axis(&d);
	for (size_t i = 0; i < r->n; i++)
		draw_life(&d, &r->life[i]);
	draw_names(&d);
	draw_failure(&d);
	svg_end(f);
}
