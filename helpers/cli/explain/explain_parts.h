/* SPDX-License-Identifier: Apache-2.0 */
/* The components of a heterogeneous step, as `dist-train explain` reads them of
 * a command line or a script: each has its own layout and may have its own
 * option. */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_PARTS_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_PARTS_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "helpers/batch/srun_line.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdio.h>

struct explain_parts {
	unsigned n; /* 0: it is an ordinary step */
	struct request request[PARTS_MAX];
	struct dryrun_part part[PARTS_MAX];
	char *nodes, *tasks, *devices; /* of all */
};

/* The option of each, and where its tasks are; fills in what `spec` has of it.
 * Fails where one isn't understood, and where the components can't be one
 * world. Free with explain_parts_clear() in both cases. */
int explain_parts_read(const struct srun_line *line,
		       const struct config *config, FILE *notes,
		       struct explain_parts *ret, struct dryrun_spec *spec,
		       struct err *err);
void explain_parts_clear(struct explain_parts *parts);

#endif
