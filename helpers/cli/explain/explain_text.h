/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `dist-train explain` says about a step that isn't there, as text.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_TEXT_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_TEXT_H

#include "core/base/err.h"
#include "core/explain/explain.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdio.h>

#define EXPLAIN_TEXT_SIZE 512

/* Which of the values are made up, in lines with a newline between them; ""
 * when none is. All of these functions move the view. */
int explain_examples(struct dryrun_view *view, char ret[EXPLAIN_TEXT_SIZE],
		     struct err *err);

/* The remark that one process of the step would print; "" for none. */
int explain_remark(struct dryrun_view *view, char ret[EXPLAIN_TEXT_SIZE],
		   struct err *err);

/* Print the layout, then all that process `rank` gets, with stars at what is
 * different for other processes. `flags` are those of explain_process(). */
int explain_text(FILE *f, struct dryrun_view *view, unsigned rank,
		 unsigned flags, struct err *err);

/* Print what comes last: examples and remark, each where there is one. */
void explain_ends(FILE *f, const char *examples, const char *remark);

#endif
