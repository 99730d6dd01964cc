/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned part_of(const struct groups_report *r, const struct topology *t,
			enum groups_level level, unsigned rank)
{
	unsigned node = r->ranks.node[rank];

	return level == GROUPS_BLOCK ? topology_block(t, node)
				     : topology_switch(t, node);
}

/* The group of kind `k` from `first` on, `stride` apart. */
static void mark_group(const struct groups_report *r, const struct topology *t,
		       unsigned k, unsigned first, unsigned stride,
		       unsigned char *mark)
{
	enum groups_level level = groups_level_of(r, k);
	unsigned end = first + stride * r->groups.kind[k].size;
	unsigned known = TOPOLOGY_NONE;
	bool crosses = false;

	for (unsigned i = first; i < end; i += stride) {
		unsigned part = part_of(r, t, level, i);

		if (part == TOPOLOGY_NONE)
			continue;
		crosses |= known != TOPOLOGY_NONE && part != known;
		known = part;
	}
	for (unsigned i = first; crosses && i < end; i += stride)
		mark[i] |= (unsigned char)(1U << k);
}

unsigned char *groups_mark(const struct groups_report *r,
			   const struct topology *t, struct err *err)
{
	unsigned char *mark = calloc(r->ranks.n + 1UL, sizeof(*mark));
	unsigned stride = 1;

	_Static_assert(GROUPS_MAX <= 8, "a bit for each kind");
	if (!mark)
		err_memory(err);
	for (unsigned k = 0; mark && k < r->groups.n; k++) {
		unsigned span = stride * r->groups.kind[k].size;
		bool any = r->near >> k & 1 &&
			   r->now[groups_level_of(r, k)].kind[k].ncross;

		for (unsigned i = 0; any && i < r->ranks.n; i++)
			if (i % span < stride)
				mark_group(r, t, k, i, stride, mark);
		stride = span;
	}
	return mark;
}

const char *groups_mark_text(const struct groups_report *r, unsigned k,
			     char buf[GROUPS_MARK_SIZE])
{
	snprintf(buf, GROUPS_MARK_SIZE, "%s crosses a %s",
		 r->groups.kind[k].name,
		 groups_level_of(r, k) == GROUPS_BLOCK ? "block" : "switch");
	return buf;
}
