/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the world, such as blocks, in an order in which few groups of
 * neighbours cross from one part into the next. For topology_order.c.
 */
#ifndef DT_CORE_TOPOLOGY_PART_ORDER_H
#define DT_CORE_TOPOLOGY_PART_ORDER_H

#include "core/base/err.h"

#include <stdbool.h>

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
