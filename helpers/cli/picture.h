/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures as files: an SVG, or a page that holds one and can be searched. The
 * page needs nothing but itself: it works from a local file, asks no network,
 * and forbids the browser to run any script but its own.
 */
#ifndef DT_HELPERS_CLI_PICTURE_H
#define DT_HELPERS_CLI_PICTURE_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether a file's name ends so; there is something before it. */
bool picture_ends_with(const char *path, const char *end);

/* Collect what `print` prints and write it into `path`, all or nothing; "-" is
 * standard output. */
int picture_write(const char *path, void (*print)(FILE *f, void *arg),
		  void *arg, struct err *err);

/* What is before and after the SVGs of a page. `hint` says what can be searched
 * for. */
void picture_page_begin(FILE *f, const char *title, const char *hint);
void picture_page_end(FILE *f);

#endif
