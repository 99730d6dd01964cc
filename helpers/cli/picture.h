/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is written for the eye: a layout as SVG (svg.h), and the one page that
 * shows a layout, a step or a job in a browser. The page is page/page.html with
 * its style and its script, page/page.js, which draws the JSON of the commands
 * that is embedded in it. It works from a local file, asks no network, and
 * forbids the browser to run anything but that script.
 */
#ifndef DT_HELPERS_CLI_PICTURE_H
#define DT_HELPERS_CLI_PICTURE_H

#include "core/base/err.h"

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

#endif
