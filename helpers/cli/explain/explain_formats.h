/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables for other programs: --format sh, env and names.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_FORMATS_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_FORMATS_H

#include "core/base/err.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdio.h>

/* Lines for a shell to read with `source`: export, unset, and comments for
 * secrets and for what only a node knows. */
int explain_sh(FILE *f, struct dryrun_view *view, unsigned rank,
	       struct err *err);

/* NAME=value lines without quotes, as `docker --env-file` and systemd take
 * them; the rest as comments. */
int explain_env_file(FILE *f, struct dryrun_view *view, unsigned rank,
		     struct err *err);

/* The names alone, of which `docker --env-file` takes the values from its own
 * environment: of one process, or (`rank` NULL) of all. */
int explain_names(FILE *f, struct dryrun_view *view, const unsigned *rank,
		  struct err *err);

#endif
