/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_SRUN_DEBUGGER_H
#define DT_SPANK_SRUN_DEBUGGER_H

#include "core/base/err.h"

/* In srun: under a parallel debugger tell the nodes to do without keepers.
 * slurmstepd then waits for each task in turn to stop at its program's start,
 * and those with keepers don't. Returns 0, or -1 when out of memory. */
int debugger_tell(struct err *err);

#endif
