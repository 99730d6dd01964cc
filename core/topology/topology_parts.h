/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of core/topology share; for them alone. */
#ifndef DT_CORE_TOPOLOGY_TOPOLOGY_PARTS_H
#define DT_CORE_TOPOLOGY_TOPOLOGY_PARTS_H

#include "core/topology/topology.h"

/* Put a branch, `n` units from the outermost to the innermost, into `depth`
 * levels of a path; n may be 0. The levels in front that it doesn't have hold
 * its outermost unit. */
static inline void topology_put_branch(unsigned *path, unsigned depth,
				       const unsigned *unit, unsigned n)
{
	for (unsigned i = 0; i < depth; i++) {
		unsigned back = depth - i;

		if (!n)
			path[i] = TOPOLOGY_NONE;
		else
			path[i] = unit[back > n ? 0 : n - back];
	}
}

#endif
