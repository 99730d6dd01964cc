/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange.h"

#include "core/base/cleanup.h"
#include "core/plan/procmap.h"

#include <stdlib.h>

int row_ranks_make(const struct plan *plan, struct row_ranks *ret,
		   struct err *err)
{
	cleanup_free struct rank_place *peer = procmap_make(plan, err);
	struct row_ranks r = {.ngiven = 0};

	if (!peer || hostindex_make(plan->job->nodes, &r.nodes, err) < 0)
		return -1;
	r.node = calloc(plan->nnodes, sizeof(*r.node));
	if (!r.node) {
		hostindex_clear(&r.nodes);
		return err_memory(err);
	}
	for (unsigned rank = plan->world_size; rank-- > 0;) {
		r.node[peer[rank].node].first = rank;
		r.node[peer[rank].node].n++;
	}
	*ret = r;
	return 0;
}

void row_ranks_clear(struct row_ranks *ranks)
{
	hostindex_clear(&ranks->nodes);
	free(ranks->node);
	*ranks = (struct row_ranks){.node = NULL};
}

bool row_ranks_give(struct row_ranks *ranks, struct ranktable_row *row)
{
	unsigned place;

	if (!row->node ||
	    hostindex_find(&ranks->nodes, row->node, &place) < 0 ||
	    row->rank >= ranks->node[place].n)
		return false;
	row->rank += ranks->node[place].first;
	ranks->ngiven++;
	return true;
}
