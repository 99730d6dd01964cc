/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_NODE_RELEASE_BLAME_H
#define DT_SPANK_NODE_RELEASE_BLAME_H

#include "core/base/err.h"

#include <slurm/spank.h>

/* This node can't read the option, which srun has read: if srun is of another
 * release, that is why, and the error says so. */
void release_blame(spank_t sp, struct err *err);

#endif
