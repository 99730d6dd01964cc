/* SPDX-License-Identifier: Apache-2.0 */
#include "core/topology/topology.h"

#include "core/base/cleanup.h"

#include <stdlib.h>

unsigned topology_block(const struct topology *t, unsigned node)
{
	if (!t->block_depth)
		return TOPOLOGY_NONE;
	return t->path[(size_t)node * t->depth + t->block_depth - 1];
}

unsigned topology_switch(const struct topology *t, unsigned node)
{
	if (t->depth == t->block_depth)
		return TOPOLOGY_NONE;
	return t->path[(size_t)node * t->depth + t->depth - 1];
}

const char *topology_name(const struct topology *t, unsigned unit)
{
	return unit < t->nunits ? t->name[unit] : "?";
}

static unsigned count(const struct topology *t, const unsigned *node,
		      unsigned n,
		      unsigned (*of)(const struct topology *, unsigned))
{
	cleanup_free bool *seen = calloc(t->nunits + 1UL, sizeof(*seen));
	unsigned nseen = 0;

	for (unsigned i = 0; seen && i < n; i++) {
		unsigned unit = of(t, node[i]);

		if (unit == TOPOLOGY_NONE || seen[unit])
			continue;
		seen[unit] = true;
		nseen++;
	}
	return nseen;
}

unsigned topology_count_blocks(const struct topology *t, const unsigned *node,
			       unsigned n)
{
	return count(t, node, n, topology_block);
}

unsigned topology_count_switches(const struct topology *t, const unsigned *node,
				 unsigned n)
{
	return count(t, node, n, topology_switch);
}

bool topology_is_known(const struct topology *t)
{
	for (size_t i = 0; i < (size_t)t->nnodes * t->depth; i++)
		if (t->path[i] != TOPOLOGY_NONE)
			return true;
	return false;
}

void topology_clear(struct topology *t)
{
	for (unsigned i = 0; t->name && i < t->nunits; i++)
		free(t->name[i]);
	free(t->name);
	free(t->leaf);
	free(t->path);
	*t = (struct topology){0};
}
