/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step, in the form that was asked for.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_SHOW_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_SHOW_H

#include "core/base/err.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdbool.h>

enum explain_format {
	FORMAT_TEXT,
	FORMAT_SH,
	FORMAT_ENV,
	FORMAT_JSON,
	FORMAT_NAMES
};

struct explain_wish {
	enum explain_format format;
	bool all_ranks; /* --rank all; JSON and names have it without a rank,
			   too */
	bool diff;	/* rank[0] beside rank[1] */
	unsigned rank[2];
	unsigned flags;	     /* EXPLAIN_ALL, EXPLAIN_COLOUR */
	const char *picture; /* file to draw into; NULL: none */
	const char *notes;   /* how the layout was understood, lines */
};

/* Print it on standard output; `view` is at a task of the step. Returns the
 * exit status; the error says why it isn't EXIT_DONE. */
int explain_show(struct dryrun_view *view, const struct explain_wish *wish,
		 struct err *err);

#endif
