/* SPDX-License-Identifier: Apache-2.0 */
/* What srun would say of the step's command, in `dist-train explain'. */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_COMMAND_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_COMMAND_H

#include "helpers/cli/dryrun/dryrun_step.h"

/* Make the view of task 0 of a command, which may be refused as by srun; its
 * remarks go to stderr. Returns 0 or -1. */
int explain_command_plan(struct dryrun_view *view, struct err *err);

#endif
