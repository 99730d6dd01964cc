/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a view as lines of a table, one or several ranks in each. */
#pragma once

#include "core/base/err.h"
#include "core/base/text_table.h"
#include "helpers/cli/status/step_view.h"

enum lines_how {
	LINES_RANKS, /* a line for each */
	LINES_ALIKE, /* for those in the same state: what is odd stands out */
	LINES_NODES, /* for those of a node */
	LINES_HOWS,
};

struct line {
	const struct rank_view *const *rank; /* by number */
	unsigned n;
	double key; /* of the figure by which lines are sorted; NAN */
};

struct lines {
	const struct step_view *view; /* borrowed */
	const struct rank_view **rank;
	struct line *line;
	unsigned n;
};

struct lines_options {
	enum lines_how how;
	unsigned figure; /* by which they are sorted */
	bool reverse;	 /* of the usual: small ranks and nodes first, of all
			    else large numbers. Unknown ones are last always */
};

/* Returns 0, or -1: out of memory. lines_clear() afterwards. */
int lines_make(const struct step_view *view,
	       const struct lines_options *options, struct lines *ret);
void lines_clear(struct lines *lines);

/* Whether it has a column in this view: somebody knows it. */
bool figure_is_shown(const struct step_view *view, unsigned figure);

/* Of the line's ranks, as the column has it: of CPU the mean where there was
 * one look, SLOWER where it is worth a word; of RANK, NODE and STATE the
 * number. NAN: none knows it. */
double line_largest(const struct line *line, unsigned figure);
double line_smallest(const struct line *line, unsigned figure);

/* Whether it has a rank that is slow, or has failed. */
bool line_is_slow(const struct line *line);
bool line_has_failed(const struct line *line);

/* --- a view of a step, printed --- */

#define TABLE_CELL_MAX 40 /* a longer one ends with "..." */

/* A table of the figures that somebody knows, a row for each line: "0-4,6",
 * "node[1-3]", "96..101"; "-" where nobody knows. Clear it in any case. */
void view_table(const struct lines *lines, struct text_table *ret);

/* As members of JSON (doc/json.md). */
struct json;
void status_json(struct json *j, const struct step_view *view,
		 const char *step);

/* As Prometheus's text format has it, for a textfile of node_exporter. */
void status_prometheus(FILE *f, const struct step_view *view, const char *step);
