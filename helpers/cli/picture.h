/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is written for the eye: a layout as SVG (svg.c), and the one page that
 * shows a layout, a step or a job in a browser. The page is page/page.html with
 * its style and its script, page/page.js, which draws the JSON of the commands
 * that is embedded in it. It works from a local file, asks no network, and
 * forbids the browser to run anything but that script.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/roles.h"

#include <stdbool.h>
#include <stdio.h>

/* Collect what `print` prints and write it into `path`, all or nothing; "-" is
 * standard output. */
int picture_write(const char *path, void (*print)(FILE *f, const void *arg),
		  const void *arg, struct err *err);

/* Whether a command that can print JSON can write a page of that name; NULL is
 * none. */
int page_check(const char *command, const char *path, bool json,
	       struct err *err);

/* The page of what `put` adds to an object: a member for each command whose
 * JSON it shows (doc/json.md), as picture_write() does. */
struct json;
int page_write(const char *path, void (*put)(struct json *j, const void *arg),
	       const void *arg, struct err *err);

/*
 * The few shapes that our pictures need, as SVG. Coordinates are pixels. A
 * shape's `class` is one of the style sheet in svg.c, which has light colours
 * and, for those who prefer them, dark ones; the colours of areas are told
 * apart by colour-blind people too. Every text is escaped.
 */

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
