/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/metrics/progress_report.h"

#include "core/base/parse.h"
#include "core/facts/rows.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS	 " \t\r\n"
#define STEP_MAX 9007199254740992.0 /* 2^53: whole numbers are exact */

/* A figure without a range may be anything that a double can. */
static const struct {
	const char *name;
	double max;
} figures[REPORT_FIGURES] = {
#define REPORT(id, name, max) [REPORT_##id] = {name, max},
#include "helpers/metrics/report_figures.def"
#undef REPORT
};

const char *report_figure_name(enum report_figure figure)
{
	return figures[figure].name;
}

static int find_figure(const char *name)
{
	for (int i = 0; i < REPORT_FIGURES; i++)
		if (!strcmp(name, figures[i].name))
			return i;
	return -1;
}

static int set_figure(struct report *r, int i, double value, struct err *err)
{
	double max = figures[i].max;

	if (max > 0 && !(value >= 0 && value <= max))
		return err_printf(err, "%s must be a number from 0 to %.0f",
				  figures[i].name, max);
	r->known[i] = true;
	r->value[i] = value;
	return 0;
}

/* One that is there already, or a new one as long as there is room. */
static void set_other(struct report *r, const char *name, double value)
{
	unsigned i = 0;

	while (i < r->nothers && strcmp(r->other[i].name, name) != 0)
		i++;
	if (i == REPORT_OTHERS)
		return;
	if (i == r->nothers)
		r->nothers++;
	strcpy(r->other[i].name, name);
	r->other[i].value = value;
}

/* NAME=NUMBER, or the percentage alone, also with its sign. */
static int read_word(char *word, struct report *r, struct err *err)
{
	char *equal = strchr(word, '='), *number = equal ? equal + 1 : word;
	char shown[SHOW_SIZE], *end;
	double value = strtod(number, &end);
	const char *name = figures[REPORT_PERCENT].name;

	if (end == number || (*end && strcmp(end, "%") != 0))
		return err_printf(err, "%s is no percentage and no NAME=NUMBER",
				  show(shown, word));
	if (equal) {
		*equal = '\0';
		name = word;
	}
	if (!is_word(name, METRICS_NAME_MORE, METRICS_NAME_MAX - 1))
		return err_printf(err,
				  "%s is no name of a figure: letters, "
				  "digits and " METRICS_NAME_MORE
				  ", at most %d",
				  show(shown, name), METRICS_NAME_MAX - 1);
	if (find_figure(name) >= 0)
		return set_figure(r, find_figure(name), value, err);
	set_other(r, name, value);
	return 0;
}

int report_read(const char *line, struct report *report, struct err *err)
{
	char copy[REPORT_LINE_MAX], *rest = copy, *word;
	struct report r = *report;
	unsigned n = 0;

	if (strlen(line) >= sizeof(copy))
		return err_printf(err, "a line may have %d bytes at most",
				  REPORT_LINE_MAX - 1);
	strcpy(copy, line);
	while ((word = strsep(&rest, BLANKS))) {
		if (!*word)
			continue;
		if (read_word(word, &r, err) < 0)
			return -1;
		n++;
	}
	if (!n)
		return err_printf(err, "there is no word in the line");
	*report = r;
	return 0;
}

void report_put_figure(FILE *f, const struct report *r,
		       enum report_figure figure)
{
	char text[32] = "";

	if (r->known[figure])
		snprintf(text, sizeof(text), "%.*g",
			 figure == REPORT_STEP ? 16 : 10, r->value[figure]);
	row_text(f, text);
}

void report_put_others(FILE *f, const struct report *r)
{
	char text[METRICS_NAME_MAX + 32];

	for (unsigned i = 0; i < r->nothers; i++) {
		snprintf(text, sizeof(text), "%s=%.10g", r->other[i].name,
			 r->other[i].value);
		row_text(f, text);
	}
}
