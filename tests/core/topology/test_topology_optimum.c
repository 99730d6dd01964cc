/* SPDX-License-Identifier: Apache-2.0 */
/* 64 nodes by the network, against the best order of whole blocks, found by
 * dynamic programming over sets of blocks. */
#include "core/topology/topology.h"

#include "tests/fixtures/topology_cross.h"
#include "tests/fixtures/unit.h"

#define NODES  64
#define BLOCKS 16

struct blocks {
	unsigned n, nnodes[BLOCKS]; /* the first one comes first */
};

static unsigned next_random(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % below;
}

/* All nodes in `n` blocks of at least one. */
static struct blocks make_blocks(unsigned n, unsigned *seed)
{
	struct blocks b = {.n = n};

	for (unsigned i = 0; i < n; i++)
		b.nnodes[i] = 1;
	for (unsigned i = n; i < NODES; i++)
		b.nnodes[next_random(seed, n)]++;
	return b;
}

/* Deal the nodes out to their blocks, node 0 to block 0. */
static void deal(struct blocks left, unsigned *seed, unsigned block[NODES])
{
	block[0] = 0;
	left.nnodes[0]--;
	for (unsigned i = 1; i < NODES; i++) {
		do
			block[i] = next_random(seed, left.n);
		while (!left.nnodes[block[i]]);
		left.nnodes[block[i]]--;
	}
}

/* The groups that the border at `at` cuts, and the one before it, at `before`,
 * hasn't cut. */
static unsigned newly_cut(const struct topology_wish *w, unsigned before,
			  unsigned at)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->ngroups && at < w->nworld; i++) {
		unsigned first = at - at % w->group[i];

		n += first < at && first >= before;
	}
	return n;
}

/* The least that any order of whole blocks has: of each set of blocks that come
 * first, from that of the set without its last one. */
static unsigned find_optimum(const struct blocks *b,
			     const struct topology_wish *w)
{
	unsigned all = (1U << b->n) - 1, best;
	unsigned *least = malloc((all + 1UL) * sizeof(*least));

	assert_non_null(least);
	memset(least, 0xff, (all + 1UL) * sizeof(*least));
	least[1] = newly_cut(w, 0, b->nnodes[0]);
	for (unsigned set = 1; set < all; set += 2) {
		unsigned at = 0;

		for (unsigned i = 0; i < b->n; i++)
			at += set >> i & 1 ? b->nnodes[i] : 0;
		for (unsigned i = 0; i < b->n; i++) {
			unsigned *to = &least[set | 1U << i];
			unsigned cost = least[set] +
					newly_cut(w, at, at + b->nnodes[i]);

			if (!(set >> i & 1) && cost < *to)
				*to = cost;
		}
	}
	best = least[all];
	free(least);
	return best;
}

static void compare_with_optimum(const struct blocks *b,
				 const struct topology_wish *w, unsigned *seed)
{
	unsigned block[NODES], *node, n = 0;
	struct topology t = {
		.nnodes = NODES,
		.block_depth = 1,
		.depth = 1,
		.path = block,
		.nunits = BLOCKS,
	};
	struct err err;

	deal(*b, seed, block);
	node = topology_order(&t, w, &err);
	assert_non_null(node);
	assert_int_equal(node[0], 0);
	for (unsigned i = 0; i < w->ngroups; i++)
		n += cross_blocks(&t, node, w->nworld, w->group[i]);
	assert_int_equal(n, find_optimum(b, w));
	free(node);
}

/* Blocks that no size of groups fits, for one size and for several at once,
 * with spares and without. */
static void irregular_blocks(void **state)
{
	static const unsigned sizes[] = {2, 3, 4, 6, 8, 16, 32};
	unsigned seed = 1, tried = 0;

	(void)state;
	for (unsigned i = 0; i < (BLOCKS - 1) * COUNT(sizes); i++) {
		struct blocks b = make_blocks(2 + i / COUNT(sizes), &seed);
		struct topology_wish w = {.group = sizes + i % COUNT(sizes)};
		unsigned most = COUNT(sizes) - i % COUNT(sizes);

		for (w.ngroups = 1; w.ngroups <= most; w.ngroups += 2) {
			w.nworld = w.ngroups == 3 ? NODES - 3 : NODES;
			compare_with_optimum(&b, &w, &seed);
			tried++;
		}
	}
	assert_int_equal(tried, 240);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(irregular_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
