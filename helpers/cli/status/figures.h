/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a rank (figures.def): where it comes from, and how it is
 * shown. */
#pragma once

#include <stddef.h>

#define CELL_SIZE 18

enum figure_id {
#define FIGURE(name, ...) FIGURE_##name,
#include "helpers/cli/status/figures.def"
#undef FIGURE
	FIGURES,
};

enum figure_unit {
	UNIT_COUNT,
	UNIT_SECONDS,
	UNIT_BYTES,
	UNIT_PERCENT,	 /* shown as a whole number */
	UNIT_TENTHS,	 /* a percentage, with one digit more */
	UNIT_NUMBER,	 /* four digits that say something */
	UNIT_ANY_NUMBER, /* the same; it may be below 0, too */
	UNIT_TIMES,	 /* "1.4x" */
};

struct figure {
	const char *row;
	unsigned field;
	double per; /* one of the unit */
	enum figure_unit unit;
	const char *head;
	int width;
	const char *member, *metric, *help;
};

extern const struct figure figures[FIGURES];

/* A field of a row in the figure's unit; NAN: it isn't told (launchers write ""
 * or a negative number), or can't be. */
double figure_read(const struct figure *figure, const char *field);

/* As a column has it; not for NAN. */
void figure_text(enum figure_unit unit, double value, char ret[CELL_SIZE]);
