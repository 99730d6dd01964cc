/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process says of its progress, as one line of words:
 *
 *	37.5
 *	percent=37.5 remaining=120 step=300 rate=2.5 loss=1.2 accuracy=0.9
 *
 * A number without a name is the percentage. Pure: text in, numbers out.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/handover.h"

#include <stdbool.h>
#include <stdio.h>

#define REPORT_LINE_MAX 1024 /* bytes of a line with its NUL */
#define REPORT_OTHERS	8    /* figures with other names than these */

enum report_figure {
#define REPORT(name, ...) REPORT_##name,
#include "helpers/metrics/report_figures.def"
#undef REPORT
	REPORT_FIGURES,
};

struct report_other {
	char name[METRICS_NAME_MAX];
	double value;
};

/* All zero: nothing is known. */
struct report {
	bool known[REPORT_FIGURES];
	double value[REPORT_FIGURES];
	struct report_other other[REPORT_OTHERS];
	unsigned nothers;
};

/* Read the line over what *report has: what the line doesn't name stays. Other
 * names are kept until there are REPORT_OTHERS. Fails with *report untouched
 * and the reason: a word is no NAME=NUMBER, a figure is out of its range, the
 * line has no word or is too long. */
int report_read(const char *line, struct report *report, struct err *err);

/* The name in a line: "percent". */
const char *report_figure_name(enum report_figure figure);

/* A field of a row (core/facts/rows.h); "" where it is unknown. */
void report_put_figure(FILE *f, const struct report *report,
		       enum report_figure figure);

/* The others, "NAME=NUMBER" each. */
void report_put_others(FILE *f, const struct report *report);
