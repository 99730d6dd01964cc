/* SPDX-License-Identifier: Apache-2.0 */
/* A view of a step for programs. */
#ifndef DT_HELPERS_CLI_STATUS_STATUS_PRINT_H
#define DT_HELPERS_CLI_STATUS_STATUS_PRINT_H

#include "core/base/err.h"
#include "helpers/cli/status/view_text.h"

#include <stdio.h>

/* As doc/json.md has it. Returns 0, or -1: out of memory. */
int status_json(FILE *f, const struct step_view *view, const char *step,
		struct err *err);

/* As an SVG in the file `path`; "-" is standard output. Returns 0 or -1. */
int status_picture(const char *path, const struct step_view *view,
		   const char *step, const struct table *table,
		   struct err *err);

/* As Prometheus's text format has it, for a textfile of node_exporter. */
void status_prometheus(FILE *f, const struct step_view *view, const char *step);

#endif
