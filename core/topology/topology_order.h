/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An order of a step's nodes in which neighbours are near: nodes of a block
 * follow each other, in a block those of a switch, on a switch they keep
 * Slurm's order, and Slurm's first node stays the first. So few groups of
 * neighbours as possible cross a block, then a switch
 * (doc/design/core-topology.md).
 */
#ifndef DT_CORE_TOPOLOGY_TOPOLOGY_ORDER_H
#define DT_CORE_TOPOLOGY_TOPOLOGY_ORDER_H

#include "core/base/err.h"
#include "core/topology/topology.h"

#include <stdbool.h>

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

/*
 * Parts of the world, such as blocks, in an order in which few groups of
 * neighbours cross from one part into the next. For topology_order.c.
 */

#define GROUP_SIZES_MAX 32

/* Groups of so many neighbours, from place 0 on, in a world of `nworld` nodes.
 */
struct group_sizes {
	unsigned size[GROUP_SIZES_MAX];
	unsigned n;
	unsigned nworld;
};

/* Put `nparts` parts, which have nnodes[i] nodes each, at the places from
 * `first` on. `stays`: part 0 is to come first. Their order is put into
 * ret_order. It is one of the best, unless so many different parts would take
 * more than STEPS_MAX steps: then the one that fits best is put next. 64 nodes
 * take less, in whatever parts they are. Parts keep their order where it
 * doesn't matter. Fails when out of memory. */
#define STEPS_MAX 200000
int part_order(const struct group_sizes *sizes, unsigned first,
	       const unsigned *nnodes, unsigned nparts, bool stays,
	       unsigned *ret_order, struct err *err);

#endif
