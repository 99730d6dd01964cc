/* SPDX-License-Identifier: Apache-2.0 */
/* A view of a step as text: a few lines of what it is, and a table. */
#ifndef DT_HELPERS_CLI_STATUS_VIEW_TEXT_H
#define DT_HELPERS_CLI_STATUS_VIEW_TEXT_H

#include "helpers/cli/status/view_lines.h"

#include <stdio.h>

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

#endif
