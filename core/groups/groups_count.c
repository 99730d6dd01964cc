/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"

/* One group: `size` ranks from `first` on, `stride` apart. */
static void count_group(const unsigned *node, const unsigned *part,
			unsigned first, unsigned stride, unsigned size,
			struct group_count *c)
{
	unsigned known = GROUPS_UNKNOWN; /* a rank whose part is known */
	bool unknown = false, nodes = false;

	for (unsigned i = 0; i < size; i++) {
		unsigned rank = first + i * stride, own = part[node[rank]];

		nodes |= node[rank] != node[first];
		if (own == GROUPS_UNKNOWN) {
			unknown = true;
			continue;
		}
		if (known != GROUPS_UNKNOWN && part[node[known]] != own) {
			if (!c->ncross++) {
				c->rank[0] = known;
				c->rank[1] = rank;
			}
			return;
		}
		known = rank;
	}
	c->nunknown += unknown && nodes;
}

void groups_count(const struct groups *g, const unsigned *node, unsigned nranks,
		  const unsigned *part, struct group_count ret[GROUPS_MAX])
{
	unsigned stride = 1;

	for (unsigned k = 0; k < g->n; k++) {
		unsigned size = g->kind[k].size, span = stride * size;
		struct group_count c = {.ngroups = nranks / size};

		for (unsigned base = 0; base < nranks; base += span)
			for (unsigned i = 0; i < stride; i++)
				count_group(node, part, base + i, stride, size,
					    &c);
		ret[k] = c;
		stride = span;
	}
}
