/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An order of a step's nodes in which neighbours are near: nodes of a block
 * follow each other, in a block those of a switch, on a switch they keep
 * Slurm's order, and Slurm's first node stays the first. So few groups of
 * neighbours as possible cross a block, then a switch
 * (doc/design/0111-order-of-nodes.md).
 */
#ifndef DT_CORE_TOPOLOGY_TOPOLOGY_ORDER_H
#define DT_CORE_TOPOLOGY_TOPOLOGY_ORDER_H

#include "core/base/err.h"
#include "core/topology/topology.h"

/* What else counts for the order; all 0 is fine. */
struct topology_wish {
	const unsigned *slurm; /* the nodes in Slurm's order, nnodes of them, by
				  their first tasks; the first one stays; NULL:
				  0, 1, 2... */
	unsigned nworld;       /* nodes that have ranks, the others at the end
				  are spares; 0: all */
	const unsigned *group; /* the sizes in nodes of groups of neighbours
				  that are to cross as little as possible;
				  NULL: all that divide the world evenly */
	unsigned ngroups;
};

/* The nodes by place, nnodes of them, for the caller to free; NULL: out of
 * memory. Without knowledge it is Slurm's order. */
unsigned *topology_order(const struct topology *t,
			 const struct topology_wish *wish, struct err *err);

#endif
