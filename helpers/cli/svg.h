/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few shapes that our pictures need, as SVG. Coordinates are pixels.
 */
#ifndef DT_HELPERS_CLI_SVG_H
#define DT_HELPERS_CLI_SVG_H

#include "core/facts/roles.h"

#include <stdio.h>

/* The head with the size, a white ground and a generic font; then its end. */
void svg_begin(FILE *f, double width, double height);
void svg_end(FILE *f);

/* A rectangle; `stroke` may be NULL, `title` (shown by browsers under the
 * pointer) too. */
void svg_box(FILE *f, double x, double y, double w, double h, const char *fill,
	     const char *stroke, const char *title);

void svg_line(FILE *f, double x1, double y1, double x2, double y2,
	      const char *colour);

/* Text whose baseline is at y; `anchor` is "start", "middle" or "end". Every
 * byte of the text is escaped. */
void svg_text(FILE *f, double x, double y, double size, const char *anchor,
	      const char *fill, const char *text);

/* Text as XML has it; bytes that it can't have become '?'. */
void svg_escape(FILE *f, const char *text);

/* A colour for each role, told apart by colour-blind people too. */
const char *svg_role_colour(enum role role);

#endif
