/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a view as lines of a table, one or several ranks in each. */
#ifndef DT_HELPERS_CLI_STATUS_VIEW_LINES_H
#define DT_HELPERS_CLI_STATUS_VIEW_LINES_H

#include "core/base/err.h"
#include "helpers/cli/status/view_columns.h"

#include <stddef.h>
#include <stdio.h>

enum lines_how {
	LINES_RANKS, /* a line for each */
	LINES_ALIKE, /* for those in the same state: what is odd stands out */
	LINES_NODES, /* for those of a node */
};

struct line {
	const struct rank_view *const *rank; /* by number */
	unsigned n;
	/* The largest value of the column by which lines are sorted; NAN */
	double key;
};

struct lines {
	const struct step_view *view; /* borrowed */
	const struct rank_view **rank;
	struct line *line;
	unsigned n;
};

struct lines_options {
	enum lines_how how;
	const char *node; /* the name has this in it; "": all nodes */
	unsigned column;  /* by which they are sorted */
	bool reverse;	  /* of the usual: small ranks and nodes first, of all
			     else large numbers. Unknown ones are last always */
};

/* Returns 0, or -1: out of memory. lines_clear() afterwards. */
int lines_make(const struct step_view *view,
	       const struct lines_options *options, struct lines *ret);
void lines_clear(struct lines *lines);

/* Whether it has a rank that is slow, or has failed. */
bool line_is_slow(const struct line *line);
bool line_has_failed(const struct line *line);

/* What the column says of the line: "0-4,6", "node[1-3]", "96-101"; "-" where
 * nobody knows. Cut with an ellipsis at the end of `ret`. */
void line_cell(const struct lines *lines, const struct line *line,
	       unsigned column, char *ret, size_t size);

/* How wide the column has to be for all lines, with its head; at most `max`. */
int lines_width(const struct lines *lines, unsigned column, int max);

/* A view of a step as text: a few lines of what it is, and a table. */

/* Two to five lines, each with its newline; `step` is "4711.0". */
void view_head(FILE *f, const struct step_view *view, const char *step);

#define TABLE_SPACES 2 /* between columns */

struct table {
	const struct lines *lines; /* borrowed */
	unsigned column[COLUMNS];
	int width[COLUMNS];
	unsigned n; /* columns that are shown */
};

/* The columns that somebody knows, and that have room in `width` characters (0:
 * all). */
void table_make(const struct lines *lines, int width, struct table *ret);

/* Print the names of the columns, or a line, without a newline. */
void table_head(FILE *f, const struct table *table);
void table_line(FILE *f, const struct table *table, unsigned line);

/* A view of a step for programs. */

/* As doc/json.md has it. Returns 0, or -1: out of memory. */
int status_json(FILE *f, const struct step_view *view, const char *step,
		struct err *err);

/* As an SVG in the file `path`; "-" is standard output. Returns 0 or -1. */
int status_picture(const char *path, const struct step_view *view,
		   const char *step, const struct table *table,
		   struct err *err);

/* As Prometheus's text format has it, for a textfile of node_exporter. */
void status_prometheus(FILE *f, const struct step_view *view, const char *step);

#endif
