/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_NODE_PREPEND_H
#define DT_SPANK_NODE_PREPEND_H

#include "core/base/err.h"

#include <slurm/spank.h>

/* Make slurmstepd execute `program` with the task's own command line behind
 * it: after "--", or with its first word in HANDOVER_ARGV0 (Slurm < 23.11,
 * where `program` replaces it; what stands there already is replaced again). */
int prepend_program(spank_t sp, const char *program, struct err *err);

#endif
