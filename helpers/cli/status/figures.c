/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* So many are one of the unit. */
#define AS_IS 1
#define MS    1000
#define KIB   (1.0 / 1024)
#define MIB   (KIB / 1024)

const struct figure figures[FIGURES] = {
#define FIGURE(name, row, field, in, unit, head, width, member, metric, help)  \
	[FIGURE_##name] = {row,	  field,  in,	  UNIT_##unit, head,           \
			   width, member, metric, help},
#include "helpers/cli/status/figures.def"
#undef FIGURE
};

double figure_read(const struct figure *figure, const char *field)
{
	char *end;
	double n = strtod(field, &end);

	if (end == field || *end)
		return NAN;
	if (figure->unit != UNIT_ANY_NUMBER && (!isfinite(n) || n < 0))
		return NAN;
	return n / figure->per;
}

/* "12.3s", "4:05", "1:02:03", "3d04h": seven columns at most, for a while. */
static void time_cell(double s, char ret[CELL_SIZE])
{
	int t = (int)fmin(s, 1e9);

	if (s < 9.95)
		snprintf(ret, CELL_SIZE, "%.1fs", s);
	else if (t < 60)
		snprintf(ret, CELL_SIZE, "%ds", t);
	else if (t < 3600)
		snprintf(ret, CELL_SIZE, "%d:%02d", t / 60, t % 60);
	else if (t < 86400)
		snprintf(ret, CELL_SIZE, "%d:%02d:%02d", t / 3600, t / 60 % 60,
			 t % 60);
	else
		snprintf(ret, CELL_SIZE, "%dd%02dh", t / 86400, t / 3600 % 24);
}

static void bytes_cell(double bytes, char ret[CELL_SIZE])
{
	static const char unit[] = "KMGTP";
	double n = bytes / 1024;
	int i = 0;

	for (; n >= 999.5 && unit[i + 1]; i++)
		n /= 1024;
	snprintf(ret, CELL_SIZE, n < 9.95 ? "%.1f%c" : "%.0f%c", n, unit[i]);
}

void figure_text(enum figure_unit unit, double n, char ret[CELL_SIZE])
{
	switch (unit) {
	case UNIT_COUNT:
	case UNIT_PERCENT:
		snprintf(ret, CELL_SIZE, "%.0f", fmin(n, 1e15));
		break;
	case UNIT_SECONDS:
		time_cell(n, ret);
		break;
	case UNIT_BYTES:
		bytes_cell(n, ret);
		break;
	case UNIT_TENTHS:
		snprintf(ret, CELL_SIZE, "%.1f", fmin(n, 999.9));
		break;
	case UNIT_NUMBER:
	case UNIT_ANY_NUMBER:
		snprintf(ret, CELL_SIZE, "%.4g", n);
		break;
	case UNIT_TIMES:
		snprintf(ret, CELL_SIZE, "%.1fx", fmin(n, 999));
		break;
	}
}
