/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm tells each task of its node's place in the network. */
#include "core/base/cleanup.h"
#include "core/topology/topology_parts.h"
#include "core/topology/topology_read.h"

#include <stdlib.h>
#include <string.h>

/* A part of an address, in the text of which it is a part. */
struct part {
	const char *at;
	size_t len;
	bool block;
	unsigned *unit; /* where its number is to be */
};

/* The units of a node. */
struct branch {
	unsigned nblocks, nswitches;
	unsigned block[TOPOLOGY_LEVELS_MAX], swtch[TOPOLOGY_LEVELS_MAX];
};

struct parts {
	struct part *part;
	unsigned n;
};

static bool is_word_here(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(text, word, len);
}

/* Take the parts in front of the node's name. Returns false when the address
 * doesn't fit its pattern. */
static bool split(const char *addr, const char *pattern, struct branch *b,
		  struct parts *parts)
{
	for (;;) {
		size_t len = strcspn(pattern, "."), part = strcspn(addr, ".");
		bool block = is_word_here(pattern, len, "block");
		unsigned *n = block ? &b->nblocks : &b->nswitches;

		if (!pattern[len])
			return is_word_here(pattern, len, "node");
		if ((!block && !is_word_here(pattern, len, "switch")) ||
		    !addr[part] || *n == TOPOLOGY_LEVELS_MAX)
			return false;
		if (part)
			parts->part[parts->n++] = (struct part){
				addr, part, block,
				(block ? b->block : b->swtch) + (*n)++};
		pattern += len + 1;
		addr += part + 1;
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = strncmp(x->at, y->at, len);

	if (x->block != y->block)
		return (int)x->block - (int)y->block;
	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Equal names are one unit. */
static int number_units(const struct parts *parts, struct topology *t)
{
	const struct part *p = parts->part;

	qsort(parts->part, parts->n, sizeof(*p), compare_parts);
	t->name = calloc(parts->n + 1UL, sizeof(*t->name));
	if (!t->name)
		return -1;
	for (unsigned i = 0; i < parts->n; i++) {
		if (!i || compare_parts(&p[i - 1], &p[i]) != 0) {
			t->name[t->nunits] = strndup(p[i].at, p[i].len);
			if (!t->name[t->nunits++])
				return -1;
		}
		*p[i].unit = t->nunits - 1;
	}
	return 0;
}

static int put_paths(const struct branch *b, unsigned n, struct topology *t)
{
	unsigned nswitches = 0;

	for (unsigned i = 0; i < n; i++) {
		if (b[i].nblocks > t->block_depth)
			t->block_depth = b[i].nblocks;
		if (b[i].nswitches > nswitches)
			nswitches = b[i].nswitches;
	}
	t->nnodes = n;
	t->depth = t->block_depth + nswitches;
	t->path = calloc((size_t)n * t->depth + 1, sizeof(*t->path));
	for (unsigned i = 0; t->path && i < n; i++) {
		unsigned *path = t->path + (size_t)i * t->depth;

		topology_put_branch(path, t->block_depth, b[i].block,
				    b[i].nblocks);
		topology_put_branch(path + t->block_depth, nswitches,
				    b[i].swtch, b[i].nswitches);
	}
	return t->path ? 0 : -1;
}

int topology_read_addrs(char *const *addr, char *const *pattern, unsigned n,
			struct topology *ret, struct err *err)
{
	cleanup_free struct branch *b = calloc(n + 1UL, sizeof(*b));
	cleanup_free struct part *part =
		calloc(n * 2UL * TOPOLOGY_LEVELS_MAX + 1, sizeof(*part));
	struct parts parts = {.part = part};
	struct topology t = {0};

	if (!b || !part)
		return err_memory(err);
	for (unsigned i = 0; i < n; i++) {
		unsigned before = parts.n;

		if (!addr[i] || !pattern[i] ||
		    split(addr[i], pattern[i], &b[i], &parts))
			continue;
		parts.n = before;
		b[i] = (struct branch){0};
	}
	if (number_units(&parts, &t) < 0 || put_paths(b, n, &t) < 0) {
		topology_clear(&t);
		return err_memory(err);
	}
	*ret = t;
	return 0;
}
