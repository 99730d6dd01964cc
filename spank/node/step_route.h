/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How this node reaches rank 0's, asked of the kernel in slurmstepd, once for
 * all tasks of the node: netlink alone, no file and no name look-up.
 */
#ifndef DT_SPANK_NODE_STEP_ROUTE_H
#define DT_SPANK_NODE_STEP_ROUTE_H

#include "core/plan/resolve.h"
#include "sys/route.h"

#include <slurm/spank.h>

/* Where the step has one node or srun has told rank 0's address; else *ret
 * stays as it is, and each task asks for itself. */
void step_route_find(spank_t sp, const struct resolved *resolved,
		     struct route *ret);

#endif
