/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step that isn't there, as JSON (doc/json.md).
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_JSON_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_JSON_H

#include "core/base/err.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdio.h>

/* Ends the list of notes, examples and remarks are one text each. */
#define NOTE_END '\n'

struct explain_json {
	unsigned first, end;  /* ranks to print */
	const char *examples; /* which values are made up; "" for none */
	const char *remark;   /* what a person should know; "" for none */
	const char *notes;    /* how the layout was understood, lines */
};

/* Print a step as one object: what all of these processes have, then what each
 * has besides. Processes are printed one by one as they are made: the memory
 * doesn't grow with the step. Fails when a plan fails or out of memory; nothing
 * is printed where a plan fails. */
int explain_json(FILE *f, struct dryrun_view *view,
		 const struct explain_json *step, struct err *err);

#endif
