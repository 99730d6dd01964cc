/* SPDX-License-Identifier: Apache-2.0 */
#include "core/topology/topology.h"

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
