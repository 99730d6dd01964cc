/* SPDX-License-Identifier: Apache-2.0 */
#include "core/topology/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#define SEVERAL (TOPOLOGY_NONE - 1) /* domains that a unit has nodes of */

struct member {
	const char *domain;
	unsigned node;
};

/* --- a unit for each domain --- */

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return strcmp(x->domain, y->domain);
}

static int grow(struct topology *t, unsigned more)
{
	size_t n = t->nunits + (size_t)more;
	char **name = realloc(t->name, (n + 1) * sizeof(*name));
	unsigned *leaf;

	if (!name)
		return -1;
	t->name = name;
	if (!t->leaf)
		return 0;
	leaf = realloc(t->leaf, (n + 1) * sizeof(*leaf));
	if (!leaf)
		return -1;
	t->leaf = leaf;
	memset(leaf + t->nunits, 0, more * sizeof(*leaf));
	return 0;
}

/* Put the unit of each node's domain into `own`. */
static int add_units(struct topology *t, const char *what, struct member *m,
		     unsigned n, unsigned *own)
{
	qsort(m, n, sizeof(*m), compare_members);
	if (grow(t, n) < 0)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		if (!i || compare_members(&m[i - 1], &m[i]) != 0) {
			if (asprintf(&t->name[t->nunits], "%s %s", what,
				     m[i].domain) < 0)
				return -1;
			t->nunits++;
		}
		own[m[i].node] = t->nunits - 1;
	}
	return 0;
}

/* --- the paths --- */

/* Which domain each of Slurm's blocks has its nodes of, or SEVERAL. */
static void find_outer(const struct topology *t, const unsigned *own,
		       unsigned *outer)
{
	for (unsigned i = 0; i < t->nunits; i++)
		outer[i] = TOPOLOGY_NONE;
	for (unsigned i = 0; i < t->nnodes; i++)
		for (unsigned k = 0; k < t->block_depth; k++) {
			unsigned unit = t->path[(size_t)i * t->depth + k];

			if (unit == TOPOLOGY_NONE || own[i] == TOPOLOGY_NONE)
				continue;
			if (outer[unit] == TOPOLOGY_NONE)
				outer[unit] = own[i];
			else if (outer[unit] != own[i])
				outer[unit] = SEVERAL;
		}
}

/* A node's path, from what it was: nothing, if the depth is 0. */
static void enclose_node(const struct topology *t, unsigned node, unsigned own,
			 const unsigned *outer, unsigned *ret)
{
	const unsigned *was =
		t->depth ? t->path + (size_t)node * t->depth : NULL;

	if (own == TOPOLOGY_NONE && t->block_depth)
		own = was[0];
	ret[0] = own;
	for (unsigned k = 0; k < t->depth; k++) {
		bool block = k < t->block_depth;

		ret[k + 1] = block && (was[k] == TOPOLOGY_NONE ||
				       outer[was[k]] == SEVERAL)
				     ? ret[k]
				     : was[k];
	}
}

static int enclose(struct topology *t, const unsigned *own)
{
	cleanup_free unsigned *outer = calloc(t->nunits + 1UL, sizeof(*outer));
	unsigned *path =
		calloc((size_t)t->nnodes * (t->depth + 1), sizeof(*path));

	if (!outer || !path) {
		free(path);
		return -1;
	}
	find_outer(t, own, outer);
	for (unsigned i = 0; i < t->nnodes; i++)
		enclose_node(t, i, own[i], outer,
			     path + (size_t)i * (t->depth + 1));
	free(t->path);
	t->path = path;
	t->block_depth++;
	t->depth++;
	t->enclosed = true;
	return 0;
}

int topology_enclose(struct topology *t, const char *what, char *const *domain,
		     unsigned n, struct err *err)
{
	cleanup_free struct member *m = calloc(n + 1UL, sizeof(*m));
	cleanup_free unsigned *own = calloc(n + 1UL, sizeof(*own));
	unsigned nmembers = 0;

	if (!m || !own)
		return err_memory(err);
	for (unsigned i = 0; i < n; i++) {
		own[i] = TOPOLOGY_NONE;
		if (domain[i])
			m[nmembers++] = (struct member){domain[i], i};
	}
	if (!nmembers)
		return 0;
	t->nnodes = n;
	if (add_units(t, what, m, nmembers, own) < 0 || enclose(t, own) < 0)
		return err_memory(err);
	return 0;
}
