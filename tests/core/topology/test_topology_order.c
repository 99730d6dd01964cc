/* SPDX-License-Identifier: Apache-2.0 */
/* The order of nodes by the network, against all that there are. */
#include "core/topology/topology.h"

#include "tests/fixtures/topology_cross.h"
#include "tests/fixtures/unit.h"

#define NODES 8

/* A topology of one level of blocks, and one of switches if `swtch` isn't NULL,
 * each named by its number. */
static struct topology make(const unsigned *block, const unsigned *swtch,
			    unsigned n)
{
	struct topology t = {
		.nnodes = n, .block_depth = block ? 1 : 0, .nunits = 2 * n};

	t.depth = t.block_depth + (swtch ? 1 : 0);
	t.path = calloc((size_t)n * t.depth, sizeof(*t.path));
	assert_non_null(t.path);
	for (unsigned i = 0; i < n; i++) {
		if (block)
			t.path[i * t.depth] = block[i];
		if (swtch)
			t.path[i * t.depth + t.block_depth] = n + swtch[i];
	}
	return t;
}

static unsigned *order(const struct topology *t,
		       const struct topology_wish *wish)
{
	struct err err;
	unsigned *node = topology_order(t, wish, &err);
	bool seen[200] = {false};

	assert_non_null(node);
	for (unsigned i = 0; i < t->nnodes; i++) {
		assert_in_range(node[i], 0, t->nnodes - 1);
		assert_false(seen[node[i]]);
		seen[node[i]] = true;
	}
	return node;
}

static void assert_order(const struct topology *t,
			 const struct topology_wish *wish,
			 const unsigned *expected)
{
	unsigned *node = order(t, wish);

	for (unsigned i = 0; i < t->nnodes; i++)
		assert_int_equal(node[i], expected[i]);
	free(node);
}

static void examples(void **state)
{
	static const struct {
		unsigned block[6], swtch[6], expected[6];
	} cases[] = {
		/* nothing to do */
		{{0, 0, 0, 1, 1, 1}, {0}, {0, 1, 2, 3, 4, 5}},
		/* every other node */
		{{0, 1, 0, 1, 0, 1}, {0}, {0, 2, 4, 1, 3, 5}},
		/* node 0's comes first, whatever it is called */
		{{2, 1, 0, 1, 0, 2}, {0}, {0, 5, 1, 3, 2, 4}},
		/* switches in a block */
		{{0, 0, 0, 0, 1, 1}, {0, 1, 0, 1, 2, 2}, {0, 2, 1, 3, 4, 5}},
		/* a block before a switch that reaches into two, and of the
		   second block the part that makes pairs */
		{{0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 0, 0}, {0, 4, 2, 3, 1, 5}},
		/* a block of three, then the one that makes it even */
		{{0, 0, 0, 1, 1, 2}, {0}, {0, 1, 2, 5, 3, 4}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct topology t = make(cases[i].block, cases[i].swtch, 6);

		assert_order(&t, &(struct topology_wish){0}, cases[i].expected);
		free(t.path);
	}
}

static void unknown(void **state)
{
	static const unsigned block[] = {TOPOLOGY_NONE, 1, 0, TOPOLOGY_NONE, 1};
	static const unsigned slurm[] = {3, 4, 2, 1, 0};
	struct topology t = make(block, NULL, 5), none = make(NULL, NULL, 5);

	(void)state;
	assert_order(&t, &(struct topology_wish){0},
		     (const unsigned[]){0, 3, 1, 4, 2});
	assert_order(&t, &(struct topology_wish){.slurm = slurm},
		     (const unsigned[]){3, 0, 4, 1, 2});
	assert_order(&none, &(struct topology_wish){.slurm = slurm}, slurm);
	free(t.path);
	free(none.path);
}

/* --- by brute force --- */

static bool next_permutation(unsigned *v, unsigned n)
{
	unsigned i = n, j = n, swap;

	while (i > 1 && v[i - 2] >= v[i - 1])
		i--;
	if (i <= 1)
		return false;
	while (v[j - 1] <= v[i - 2])
		j--;
	swap = v[i - 2], v[i - 2] = v[j - 1], v[j - 1] = swap;
	for (unsigned a = i - 1, b = n - 1; a < b; a++, b--)
		swap = v[a], v[a] = v[b], v[b] = swap;
	return true;
}

/* Whether nodes of one block follow each other. */
static bool is_contiguous(const struct topology *t, const unsigned *node)
{
	bool left[NODES] = {false};

	for (unsigned i = 1; i < t->nnodes; i++) {
		unsigned before = topology_block(t, node[i - 1]);
		unsigned block = topology_block(t, node[i]);

		if (block == before)
			continue;
		left[before] = true;
		if (left[block])
			return false;
	}
	return true;
}

struct best {
	unsigned of_size[NODES + 1]; /* by the size of groups */
	unsigned sum;		     /* of all sizes in one order */
};

static void find_best(const struct topology *t, struct best *best)
{
	unsigned node[NODES] = {0, 1, 2, 3, 4, 5, 6, 7}, n = t->nnodes;

	memset(best, 0xff, sizeof(*best));
	do {
		unsigned sum = 0;

		if (!is_contiguous(t, node))
			continue;
		for (unsigned size = 2; size < n; size++) {
			unsigned crossing = cross_blocks(t, node, n, size);

			if (crossing < best->of_size[size])
				best->of_size[size] = crossing;
			sum += n % size ? 0 : crossing;
		}
		if (sum < best->sum)
			best->sum = sum;
	} while (next_permutation(node + 1, n - 1));
}

static void compare_with_best(const struct topology *t)
{
	unsigned n = t->nnodes, sum = 0, *node;
	struct best best;

	find_best(t, &best);
	for (unsigned size = 2; size < n; size++) {
		struct topology_wish wish = {.group = &size, .ngroups = 1};

		node = order(t, &wish);
		assert_int_equal(node[0], 0);
		assert_true(is_contiguous(t, node));
		assert_int_equal(cross_blocks(t, node, n, size),
				 best.of_size[size]);
		free(node);
	}
	node = order(t, &(struct topology_wish){0});
	for (unsigned size = 2; size < n; size++)
		sum += n % size ? 0 : cross_blocks(t, node, n, size);
	assert_int_equal(sum, best.sum);
	free(node);
}

/* All ways to put up to 8 nodes into three blocks, up to the blocks' names: of
 * those with the same sizes and the same first block a few are enough, as the
 * order knows no others. */
static void all_of_three_blocks(void **state)
{
	unsigned tried = 0;

	(void)state;
	for (unsigned n = 2; n <= NODES; n++)
		for (unsigned code = 0; code < 6561; code += 1 + n * n / 4) {
			unsigned block[NODES] = {0}, rest = code;
			struct topology t;

			for (unsigned i = 1; i < n; i++, rest /= 3)
				block[i] = rest % 3;
			if (rest)
				break;
			t = make(block, NULL, n);
			compare_with_best(&t);
			free(t.path);
			tried++;
		}
	assert_in_range(tried, 200, 10000);
}

/* --- larger ones, whose best is known --- */

/* 64 nodes in blocks of 8 with switches of 4, dealt out in turn, as by a
 * scheduler that spreads jobs: no group up to the size crosses. */
static void sixty_four(void **state)
{
	unsigned block[64], swtch[64], *node;
	struct topology t;

	(void)state;
	for (unsigned i = 0; i < 64; i++) {
		swtch[i] = i * 5 % 16;
		block[i] = swtch[i] / 2;
	}
	t = make(block, swtch, 64);
	node = order(&t, &(struct topology_wish){0});
	assert_int_equal(node[0], 0);
	for (unsigned size = 2; size <= 8; size *= 2)
		assert_int_equal(cross_blocks(&t, node, 64, size), 0);
	assert_int_equal(cross_switches(&t, node, 64, 4), 0);
	assert_int_equal(cross_switches(&t, node, 64, 8), 8);
	free(node);
	free(t.path);
}

/* One half of the blocks has 9 nodes and the other 7: groups of 4 that cross.
 */
static unsigned cross_odd_blocks(unsigned nblocks)
{
	unsigned block[128], n = 0, *node, cross;
	struct topology t;

	for (unsigned b = 0; b < nblocks; b++)
		for (unsigned i = 0; i < (b < nblocks / 2 ? 9 : 7); i++)
			block[n++] = b;
	t = make(block, NULL, n);
	node = order(&t, &(struct topology_wish){.group = (const unsigned[]){4},
						 .ngroups = 1});
	cross = cross_blocks(&t, node, n, 4);
	free(node);
	free(t.path);
	return cross;
}

/* Blocks of 9 and of 7 can be paired. */
static void pairs_of_odd_blocks(void **state)
{
	(void)state;
	assert_int_equal(cross_odd_blocks(8), 4);
}

static void many_odd_blocks(void **state)
{
	(void)state;
	assert_int_equal(cross_odd_blocks(16), 8);
}

/* Too many sizes for the best order: what fits best comes next, where groups
 * of 4 cross 6 times; 11 times in Slurm's order. */
static void too_many_kinds_of_blocks(void **state)
{
	static const unsigned four = 4;
	unsigned block[136], slurm[136], n = 0, *node;
	struct topology t;

	(void)state;
	for (unsigned b = 0; b < 16; b++)
		for (unsigned i = 0; i <= b; i++, n++) {
			block[n] = b;
			slurm[n] = n;
		}
	t = make(block, NULL, n);
	node = order(&t, &(struct topology_wish){.group = &four, .ngroups = 1});
	assert_int_equal(cross_blocks(&t, node, n, four), 6);
	assert_int_equal(cross_blocks(&t, slurm, n, four), 11);
	free(node);
	free(t.path);
}

/* What fits best each time is not the best: blocks of 4, 3, 2, 2, 1 have 3
 * groups that cross then. */
static void better_than_greedy(void **state)
{
	static const unsigned block[] = {0, 0, 0, 0, 1, 2, 2, 2, 3, 3, 4, 4};
	struct topology t = make(block, NULL, 12);
	unsigned *node = order(
		&t, &(struct topology_wish){.group = (const unsigned[]){3},
					    .ngroups = 1});

	(void)state;
	assert_int_equal(cross_blocks(&t, node, 12, 3), 2);
	free(node);
	free(t.path);
}

/* A spare at the end belongs to no group. */
static void with_spares(void **state)
{
	static const unsigned block[] = {0, 0, 0, 1, 1, 2};
	struct topology t = make(block, NULL, 6);

	(void)state;
	assert_order(&t, &(struct topology_wish){.nworld = 6},
		     (const unsigned[]){0, 1, 2, 5, 3, 4});
	assert_order(&t, &(struct topology_wish){.nworld = 4},
		     (const unsigned[]){0, 1, 2, 3, 4, 5});
	free(t.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples),
		cmocka_unit_test(unknown),
		cmocka_unit_test(all_of_three_blocks),
		cmocka_unit_test(sixty_four),
		cmocka_unit_test(pairs_of_odd_blocks),
		cmocka_unit_test(many_odd_blocks),
		cmocka_unit_test(too_many_kinds_of_blocks),
		cmocka_unit_test(better_than_greedy),
		cmocka_unit_test(with_spares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
