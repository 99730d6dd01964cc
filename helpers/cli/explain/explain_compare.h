/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several processes side by side: --rank all and --diff.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_COMPARE_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_COMPARE_H

#include "core/base/err.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdio.h>

/* What all processes have, then a table of the rest with a row for each
 * process. `flags` are those of explain_process(). */
int explain_all(FILE *f, struct dryrun_view *view, unsigned flags,
		struct err *err);

/* The variables that differ between two processes. */
int explain_diff(FILE *f, struct dryrun_view *view, const unsigned rank[2],
		 struct err *err);

#endif
