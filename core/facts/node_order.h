/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a step's nodes in the world, with the key order=topology, as
 * srun hands it over: "0-2;5,4" are the nodes of places 0 to 4, and a ';' ends
 * those that share a block (or, where there are no blocks, a leaf switch).
 */
#ifndef DT_CORE_FACTS_NODE_ORDER_H
#define DT_CORE_FACTS_NODE_ORDER_H

#include "core/base/err.h"
#include "core/facts/places.h"

/* Read such a text, which must have each of `nnodes` nodes once. ret_domain,
 * if not NULL, gets the number of each node's block, by node, for the caller to
 * free. Fails when the text is another one, and when out of memory. */
int node_order_parse(const char *text, unsigned nnodes, struct places *ret,
		     unsigned **ret_domain, struct err *err);

/* The text of `n` nodes by place; domain[i] is that of node i. For the caller
 * to free; NULL: out of memory. */
char *node_order_text(const unsigned *node, const unsigned *domain, unsigned n);

#endif
