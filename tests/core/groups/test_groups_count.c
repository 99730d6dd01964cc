/* SPDX-License-Identifier: Apache-2.0 */
/* The words of groups, and their counts and marks against those by each rank's
 * digits. */
#include "core/groups/groups_report.h"

#include "registry/registry.h"
#include "tests/fixtures/unit.h"

#define RANKS 64
#define NODES 16

static struct groups parse(const char *text)
{
	struct groups g;
	struct err err;

	assert_int_equal(groups_parse(text, &g, &err), 0);
	return g;
}

static void words(void **state)
{
	char text[GROUPS_TEXT_SIZE];
	struct groups g = parse("tp:8+dp+pp:4"), fitted;
	struct err err;

	(void)state;
	assert_int_equal(g.n, 3);
	assert_int_equal(groups_fit(&g, 64, &fitted, &err), 0);
	assert_string_equal(groups_text(&fitted, text), "tp:8+dp:2+pp:4");
	assert_int_equal(groups_near(&fitted, 64), 3);
	g = parse("tp:8");
	assert_int_equal(groups_fit(&g, 64, &fitted, &err), 0);
	assert_int_equal(groups_near(&fitted, 64), 1);
	assert_int_equal(groups_near(&fitted, 8), 1);
}

static void wrong_words(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "a name has a-z"},
		{"tp:8+", "a name has a-z"},
		{"TP:8", "a name has a-z"},
		{"tp:0", "a size is a number"},
		{"tp:-1", "a size is a number"},
		{"tp:", "a size is a number"},
		{"tp:1000001", "a size is a number"},
		{"tp:2+tp:2", "a name is there twice"},
		{"dp", "no name has a size"},
		{"tp:2+dp+pp", "only one name"},
		{"abcdefghijklmnop:2", "a name has a-z"},
		{"a:1+b:1+c:1+d:1+e:1+f:1+g:1+h:1+i:1", "more than 8 names"},
	};
	struct groups g;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(groups_parse(cases[i].text, &g, &err), -1);
		assert_non_null(strstr(err.text, cases[i].why));
	}
}

/* The names of groups-strict. */
static void strict(void **state)
{
	static const struct {
		const char *text;
		unsigned bits; /* 0: refused */
	} cases[] = {
		{"ddp,groups=tp:2+pp:4+dp,groups-strict=on", 3},
		{"ddp,groups=tp:2+pp:2,groups-strict=yes", 3},
		{"ddp,groups=tp:2+pp:4+dp,groups-strict=dp+tp", 5},
		{"ddp,groups=tp:2+pp:4+dp,groups-strict=pp", 2},
		{"ddp,groups=tp:2,groups-strict=tpp", 0},
		{"ddp,groups=tp:2,groups-strict=tp+", 0},
		{"ddp,groups-strict=tp", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct request r;
		struct groups g, fitted;
		struct err err;
		int rc = request_parse(cases[i].text, NULL, NULL, &r, &err);

		assert_case(cases[i].text, (rc == 0) == (cases[i].bits > 0));
		if (rc == 0) {
			groups_of(&r, &g);
			assert_int_equal(groups_fit(&g, 16, &fitted, &err), 0);
			assert_int_equal(groups_strict(&r, &fitted, 16),
					 cases[i].bits);
		}
		request_clear(&r);
	}
}

static void wrong_sizes(void **state)
{
	static const char *const cases[] = {
		"tp:3", "tp:16", "tp:3+dp",
		"a:1000000+b:1000000+c:1000000+d:1000000"};
	struct groups g, fitted;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		g = parse(cases[i]);
		assert_int_equal(groups_fit(&g, 8, &fitted, &err), -1);
		assert_non_null(strstr(err.text, "doesn't divide the world"));
	}
}

/* Digit k of a rank, and the rank without it: what its group has in common. */
static unsigned without_digit(const struct groups *g, unsigned rank, unsigned k)
{
	unsigned stride = 1;

	for (unsigned i = 0; i < k; i++)
		stride *= g->kind[i].size;
	return rank - rank / stride % g->kind[k].size * stride;
}

static void count_slowly(const struct groups *g, unsigned k,
			 const unsigned *node, unsigned nranks,
			 const unsigned *part, struct group_count *ret)
{
	*ret = (struct group_count){0};
	for (unsigned first = 0; first < nranks; first++) {
		bool cross = false, unknown = false, nodes = false;

		if (without_digit(g, first, k) != first)
			continue;
		ret->ngroups++;
		for (unsigned a = 0; a < nranks; a++)
			for (unsigned b = 0; b < nranks; b++) {
				unsigned p = part[node[a]], q = part[node[b]];

				if (without_digit(g, a, k) != first ||
				    without_digit(g, b, k) != first)
					continue;
				nodes |= node[a] != node[b];
				unknown |= p == GROUPS_UNKNOWN;
				cross |= p != q && p != GROUPS_UNKNOWN &&
					 q != GROUPS_UNKNOWN;
			}
		ret->ncross += cross;
		ret->nunknown += !cross && unknown && nodes;
	}
}

static unsigned pick(unsigned n)
{
	static unsigned long state = 19;

	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(state >> 40) % n;
}

/* Sizes whose product divides the number of ranks, which is returned. */
static unsigned pick_groups(struct groups *g)
{
	unsigned nranks = 1;

	*g = (struct groups){.n = 1 + pick(4)};
	for (unsigned k = 0; k < g->n; k++) {
		g->kind[k].size = 1 + pick(4);
		if (nranks * g->kind[k].size > RANKS)
			g->kind[k].size = 1;
		nranks *= g->kind[k].size;
	}
	return nranks * (1 + pick(RANKS / nranks));
}

static void assert_apart(const struct groups *g, unsigned k,
			 const struct group_count *c, const unsigned *node,
			 const unsigned *part)
{
	unsigned a = part[node[c->rank[0]]], b = part[node[c->rank[1]]];

	assert_int_equal(without_digit(g, c->rank[0], k),
			 without_digit(g, c->rank[1], k));
	assert_true(a != b && a != GROUPS_UNKNOWN && b != GROUPS_UNKNOWN);
}

/* Whether this rank's group is in two parts that are known. */
static bool crosses_slowly(const struct groups *g, unsigned k, unsigned rank,
			   const unsigned *node, unsigned nranks,
			   const unsigned *part)
{
	unsigned known = GROUPS_UNKNOWN;

	for (unsigned r = 0; r < nranks; r++) {
		unsigned own = part[node[r]];

		if (without_digit(g, r, k) != without_digit(g, rank, k) ||
		    own == GROUPS_UNKNOWN)
			continue;
		if (known != GROUPS_UNKNOWN && own != known)
			return true;
		known = own;
	}
	return false;
}

/* The parts as blocks: those of the kinds in `near` are marked. */
static void assert_marks(const struct groups *g, const struct group_count *c,
			 unsigned *node, unsigned nranks, unsigned *part)
{
	struct topology t = {
		.nnodes = NODES,
		.block_depth = 1,
		.depth = 1,
		.path = part,
		.nunits = NODES,
	};
	struct groups_report r = {
		.groups = *g,
		.near = pick(16),
		.ranks = {node, nranks},
		.known = {[GROUPS_BLOCK] = true},
	};
	unsigned char *mark;
	struct err err;

	memcpy(r.now[GROUPS_BLOCK].kind, c, g->n * sizeof(*c));
	mark = groups_mark(&r, &t, &err);
	assert_non_null(mark);
	for (unsigned i = 0; i < nranks; i++)
		for (unsigned k = 0; k < g->n; k++)
			assert_int_equal(mark[i] >> k & 1,
					 (r.near >> k & 1) &&
						 crosses_slowly(g, k, i, node,
								nranks, part));
	free(mark);
}

static void counts(void **state)
{
	unsigned node[RANKS], part[NODES], ncross = 0, nunknown = 0;
	struct group_count found[GROUPS_MAX], expected;
	struct groups g;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		unsigned nranks = pick_groups(&g), nparts = 1 + pick(4);

		for (unsigned r = 0; r < nranks; r++)
			node[r] = r && pick(3) ? node[r - 1] : pick(NODES);
		for (unsigned n = 0; n < NODES; n++)
			part[n] = pick(9) ? pick(nparts) : GROUPS_UNKNOWN;
		groups_count(&g, node, nranks, part, found);
		for (unsigned k = 0; k < g.n; k++) {
			count_slowly(&g, k, node, nranks, part, &expected);
			assert_int_equal(found[k].ngroups, expected.ngroups);
			assert_int_equal(found[k].ncross, expected.ncross);
			assert_int_equal(found[k].nunknown, expected.nunknown);
			if (found[k].ncross)
				assert_apart(&g, k, &found[k], node, part);
			ncross += found[k].ncross;
			nunknown += found[k].nunknown;
		}
		assert_marks(&g, found, node, nranks, part);
	}
	assert_true(ncross > 1000 && nunknown > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),  cmocka_unit_test(wrong_words),
		cmocka_unit_test(strict), cmocka_unit_test(wrong_sizes),
		cmocka_unit_test(counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
