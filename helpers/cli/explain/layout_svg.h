/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a step as a picture: nodes with what runs there, each with its
 * rank, devices and role, and where the coordinator is. An SVG has equal nodes
 * folded into one where there are many; a page (.html) has all of them, and a
 * search.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_LAYOUT_SVG_H
#define DT_HELPERS_CLI_EXPLAIN_LAYOUT_SVG_H

#include "core/base/err.h"
#include "helpers/cli/dryrun/dryrun_step.h"

/* Write it into `path`, which ends in .svg or .html, all or nothing; "-" is an
 * SVG on standard output. The view is one that has a task. Moves it. Fails for
 * another ending, when a plan fails, or the file can't be written. */
int layout_svg_write(struct dryrun_view *view, const char *path,
		     struct err *err);

#endif
