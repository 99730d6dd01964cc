/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks for rows that nodes have told once, for whatever world may come: each
 * row has, in the place of a rank, the number of its process on its node.
 */
#ifndef DT_HELPERS_RANKTABLE_ROW_RANKS_H
#define DT_HELPERS_RANKTABLE_ROW_RANKS_H

#include "core/ascend/ranktable_row.h"
#include "core/base/err.h"
#include "core/base/hostindex.h"
#include "core/plan/plan.h"

#include <stdbool.h>

/* The plan's world. */
struct row_ranks {
	struct hostindex nodes;
	struct {
		unsigned first, n; /* ranks */
	} * node;		   /* by place */
	unsigned ngiven;
};

/* Returns 0; or -1 when the world's nodes or places aren't known. Free with
 * row_ranks_clear(). */
int row_ranks_make(const struct plan *plan, struct row_ranks *ret,
		   struct err *err);
void row_ranks_clear(struct row_ranks *ranks);

/* Give the row its rank. False: it has none, for its node isn't in the world.
 */
bool row_ranks_give(struct row_ranks *ranks, struct ranktable_row *row);

#endif
