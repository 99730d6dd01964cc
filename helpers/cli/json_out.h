/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine-readable output. Everything of cJSON is behind this header.
 */
#ifndef DT_HELPERS_CLI_JSON_OUT_H
#define DT_HELPERS_CLI_JSON_OUT_H

#include "core/base/err.h"
#include "helpers/cli/explain/dryrun_step.h"

#include <stdio.h>

/* What `explain --json` says besides the processes. */
struct json_step {
	unsigned first, end;  /* ranks to print */
	const char *examples; /* which values are made up; "" for none */
	const char *remark;   /* what a person should know; "" for none */
};

/* Print a step as one object, its processes one by one as they are made: the
 * memory doesn't grow with the step. Fails when a plan fails or out of memory;
 * part of the object may be printed then. */
int json_explain(FILE *f, struct dryrun_view *view,
		 const struct json_step *step, struct err *err);

/* Print the table of frameworks as an array. */
int json_frameworks(FILE *f, struct err *err);

#endif
