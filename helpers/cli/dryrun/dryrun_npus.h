/* SPDX-License-Identifier: Apache-2.0 */
/* What a step with NPUs would be refused for while it starts. */
#ifndef DT_HELPERS_CLI_DRYRUN_DRYRUN_NPUS_H
#define DT_HELPERS_CLI_DRYRUN_DRYRUN_NPUS_H

#include "core/ascend/chip.h"
#include "helpers/cli/dryrun/dryrun_step.h"

/* Hold the rules that a layout alone can break against the view's step: one
 * NPU for each process, and those of the rank table for this chip, or with
 * CHIP_UNKNOWN for every chip. Nothing is refused of other frameworks' steps.
 * Ends at task 0. */
int dryrun_npus_check(struct dryrun_view *view, enum chip chip,
		      struct err *err);

#endif
