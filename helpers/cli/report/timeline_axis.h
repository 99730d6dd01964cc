/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of time in a picture, in seconds, minutes and hours. */
#ifndef DT_HELPERS_CLI_TIMELINE_TIMELINE_AXIS_H
#define DT_HELPERS_CLI_TIMELINE_TIMELINE_AXIS_H

#include "helpers/cli/report/timeline_facts.h"

#include <stdio.h>

/* A part of the picture, with a part of the time. */
struct panel {
	const char *name;
	double x, width;
	double to_ms; /* it begins at 0 */
};

#define PANELS_MAX 2

/* One panel, or where the start-up is short beside the whole one for each of
 * them, from x on. Returns how many. */
unsigned panels_find(const struct record *record, const struct facts *facts,
		     double x, double width, struct panel ret[PANELS_MAX]);

/* Where a time is; at the right edge if it is later. */
double panel_x(const struct panel *panel, double ms);

/* The panel's name and the times, above y; and the lines of the times and of
 * the rounds, between y and `bottom`. */
void panel_axis(FILE *f, const struct panel *panel, const struct facts *facts,
		double y);
void panel_lines(FILE *f, const struct panel *panel, const struct facts *facts,
		 double y, double bottom);

#endif
