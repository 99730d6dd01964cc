/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/timeline_facts.h"

#include "helpers/cli/svg.h"

#include <string.h>

#define BETWEEN	     44.0 /* panels */
#define ZOOM_PART    0.4  /* of the width */
#define ZOOM_FROM    0.25 /* of the time: more start-up isn't drawn apart */
#define ROUND_TEXT_W 70.0

/* When the last process of the first round came to this phase; 0: none did. */
static double last_of(const struct record *r, const struct facts *f,
		      enum proc_phase phase)
{
	double last = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->life[i].round == f->round[0].number &&
		    r->life[i].at_ms[phase] > last)
			last = r->life[i].at_ms[phase];
	return last;
}

/* Until all processes had written something, or most of them where one is very
 * late, or all were started where none writes; 0: that isn't known, or no small
 * part of the whole. */
static double startup_ms(const struct record *r, const struct facts *f)
{
	double until = last_of(r, f, PHASE_RUNNING);

	if (until >= ZOOM_FROM * r->end_ms || until <= 0)
		until = last_of(r, f, PHASE_STARTING) + 2 * f->output.median_ms;
	return until > 0 && until < ZOOM_FROM * r->end_ms ? until * 1.15 : 0;
}

unsigned panels_find(const struct record *r, const struct facts *f, double x,
		     double width, struct panel ret[PANELS_MAX])
{
	double startup = startup_ms(r, f), part = (width - BETWEEN) * ZOOM_PART;

	ret[0] = (struct panel){"whole step", x, width,
				r->end_ms > 1 ? r->end_ms : 1};
	if (startup <= 0)
		return 1;
	ret[1] = ret[0];
	ret[0] = (struct panel){"start-up", x, part, startup};
	ret[1].x += part + BETWEEN;
	ret[1].width -= part + BETWEEN;
	return 2;
}

double panel_x(const struct panel *p, double ms)
{
	if (ms > p->to_ms)
		ms = p->to_ms;
	return p->x + p->width * ms / p->to_ms;
}

void panel_axis(FILE *f, const struct panel *p, const struct facts *facts,
		double y)
{
	double step = time_axis_step(p->to_ms, p->width), free_from = p->x + 80;
	char text[32];

	svg_text(f, p->x, y - 36, "t3 b", p->name);
	for (double t = 0; t <= p->to_ms; t += step)
		svg_text(f, panel_x(p, t), y - 6, "t3 mid dim",
			 time_axis_text(t, step, text));
	for (unsigned i = 0; i < facts->nrounds; i++) {
		double x = panel_x(p, facts->round[i].from_ms);

		if (facts->nrounds < 2 || facts->round[i].from_ms > p->to_ms)
			continue;
		if (i && x < free_from)
			continue;
		svg_text(f, x + 3, y - 21, "t3",
			 round_name(facts->round[i].number, text));
		free_from = x + ROUND_TEXT_W;
	}
}

void panel_lines(FILE *f, const struct panel *p, const struct facts *facts,
		 double y, double bottom)
{
	double step = time_axis_step(p->to_ms, p->width);

	for (double t = 0; t <= p->to_ms; t += step)
		svg_line(f, panel_x(p, t), y, panel_x(p, t), bottom, "thin");
	for (unsigned i = 1; i < facts->nrounds; i++)
		if (facts->round[i].from_ms <= p->to_ms)
			svg_line(f, panel_x(p, facts->round[i].from_ms), y,
				 panel_x(p, facts->round[i].from_ms), bottom,
				 "cut");
}
