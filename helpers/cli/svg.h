/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few shapes that our pictures need, as SVG. Coordinates are pixels. A
 * shape's `class` is one of the style sheet in svg.c, which has light colours
 * and, for those who prefer them, dark ones; the colours of areas are told
 * apart by colour-blind people too. Every text is escaped.
 */
#ifndef DT_HELPERS_CLI_SVG_H
#define DT_HELPERS_CLI_SVG_H

#include "core/facts/roles.h"

#include <stdbool.h>
#include <stdio.h>

/* About how wide a character of 1 pixel's height is, at most: pictures must not
 * depend on the fonts of a machine. */
#define SVG_CHAR_W 0.62

struct svg_page {
	double width, height;
	const char *title; /* both for programs that read pictures aloud */
	const char *desc;  /* NULL: none */
};

/* The head with the style sheet and the ground; then its end. */
void svg_begin(FILE *f, const struct svg_page *page);
void svg_end(FILE *f);

/* Shapes until svg_group_end() belong together: browsers show `title` under
 * the pointer. */
void svg_group(FILE *f, const char *title);
void svg_group_end(FILE *f);

void svg_box(FILE *f, double x, double y, double w, double h,
	     const char *class);
void svg_line(FILE *f, double x1, double y1, double x2, double y2,
	      const char *class);
/* A filled triangle whose tip at (x, y) points to the right. */
void svg_tip(FILE *f, double x, double y, double size, const char *class);

/* Text whose baseline is at y. */
void svg_text(FILE *f, double x, double y, const char *class, const char *text);

/* The same, cut to `width` pixels at this font size, with an ellipsis. */
void svg_text_cut(FILE *f, double x, double y, double width, double size,
		  const char *class, const char *text);

/* A legend's entry: a small box and its meaning. Returns where the next one
 * begins. */
double svg_legend(FILE *f, double x, double y, const char *class,
		  const char *text);

/* The class of a role's colour. */
const char *svg_role_class(enum role role);

#endif
