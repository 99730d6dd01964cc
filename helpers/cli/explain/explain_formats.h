/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process's variables for other programs: --format sh and env.
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

#endif
