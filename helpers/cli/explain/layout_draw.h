/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a layout as SVG. */
#ifndef DT_HELPERS_CLI_EXPLAIN_LAYOUT_DRAW_H
#define DT_HELPERS_CLI_EXPLAIN_LAYOUT_DRAW_H

#include "helpers/cli/explain/layout.h"

#include <stdio.h>

/* What is said around the nodes; borrowed texts, none NULL. */
struct layout_drawing {
	unsigned nnodes, nranks; /* that are drawn */
	bool page;		 /* for a page that can be scrolled */
	const char *title, *mode;
	const char *command;  /* "" for none */
	const char *meeting;  /* the coordinator; "" for none */
	const char *examples; /* which values are made up, in lines */
	const char *framework;
	const char *program; /* what a LAYOUT_PROGRAM is called */
};

void layout_draw(FILE *f, const struct layout *layout,
		 const struct layout_drawing *drawing);

#endif
