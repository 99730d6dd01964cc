/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a step as a picture: nodes with their processes, each with its
 * rank, devices and role, and where the coordinator is.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_LAYOUT_SVG_H
#define DT_HELPERS_CLI_EXPLAIN_LAYOUT_SVG_H

#include "core/base/err.h"
#include "helpers/cli/explain/dryrun_step.h"

#define LAYOUT_RANKS_MAX 2048 /* more are counted, not drawn */

/* Write it as SVG into `path`, all or nothing. Moves the view. */
int layout_svg_write(struct dryrun_view *view, const char *path,
		     struct err *err);

#endif
