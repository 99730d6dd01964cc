/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a step's nodes are in its world, and where: place 0 is node rank 0.
 * Nodes are numbers, their positions in SLURM_STEP_NODELIST. A node without a
 * place is a spare, or out (doc/design/0080-lost-nodes.md). Each round has its
 * places; the arbiter chooses them, all others read them.
 */
#ifndef DT_CORE_FACTS_PLACES_H
#define DT_CORE_FACTS_PLACES_H

#include "core/base/err.h"

/* The place of a node that has none. */
#define PLACE_NONE (~0U)

struct places {
	unsigned *node; /* by place; owned */
	unsigned n;
};

/* Those of round 0: nodes 0 to nnodes - nspares - 1. Fails when no node is left
 * for the world, and when out of memory. places_clear() afterwards. */
int places_first(unsigned nnodes, unsigned nspares, struct places *ret,
		 struct err *err);

/* Read "0-2,5,4", of a step of `nnodes` nodes. Fails when the text isn't such a
 * list, has a node twice, none, or one that the step doesn't have, and when out
 * of memory. */
int places_parse(const char *text, unsigned nnodes, struct places *ret,
		 struct err *err);

/* The same text, for the caller to free; NULL: out of memory. */
char *places_text(const struct places *places);

/* The place of a node, or PLACE_NONE. */
unsigned places_of(const struct places *places, unsigned node);

void places_clear(struct places *places);

#endif
