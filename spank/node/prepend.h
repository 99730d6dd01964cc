/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_NODE_PREPEND_H
#define DT_SPANK_NODE_PREPEND_H

#include "core/base/err.h"

#include <slurm/spank.h>

/* Make slurmstepd execute `program` before the task's own command: the command
 * follows after "--". Before Slurm 23.11 `program` replaces the command's first
 * word, which goes into HANDOVER_ARGV0. Fails when Slurm refuses. */
int prepend_program(spank_t sp, const char *program, struct err *err);

#endif
