/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a view as lines of a table, one or several ranks in each. */
#ifndef DT_HELPERS_CLI_STATUS_VIEW_LINES_H
#define DT_HELPERS_CLI_STATUS_VIEW_LINES_H

#include "helpers/cli/status/view_columns.h"

#include <stddef.h>

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

#endif
