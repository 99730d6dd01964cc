/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets which cores. */
#include "core/facts/share_cores.h"

#include "tests/fixtures/unit.h"

#define CORES_MAX 64

/* A machine as the cores of each of its NUMA nodes, two nodes to a socket if
 * `paired`. A case's devices are NUMA nodes as digits, '?' for unknown; its
 * result is the owner of each core as a letter, '.' for nobody, and nodes
 * apart. */
struct share_case {
	const char *what;
	unsigned node[8];
	bool paired;
	const char *devices;
	enum share_kind kind;
	const char *owners;
};

static const struct share_case cases[] = {
	{"one node", {8}, false, "0000", SHARE_NEAR, "aabbccdd"},
	{"no devices known", {8}, false, "????", SHARE_EQUAL, "aabbccdd"},
	{"not even", {10}, false, "????", SHARE_EQUAL, "aabbbccddd"},
	{"more cores by one", {5}, false, "????", SHARE_EQUAL, "abcdd"},
	{"one each", {4}, false, "0000", SHARE_NEAR, "abcd"},
	{"too few", {3}, false, "0000", SHARE_NOTHING, ""},
	{"none", {0}, false, "00", SHARE_NOTHING, ""},
	{"two nodes", {4, 4}, false, "0011", SHARE_NEAR, "aabb ccdd"},
	{"crossed", {4, 4}, false, "1100", SHARE_NEAR, "ccdd aabb"},
	{"in turn", {4, 4}, false, "0101", SHARE_NEAR, "aacc bbdd"},
	{"unequal nodes", {2, 6}, false, "0111", SHARE_NEAR, "aa bbccdd"},
	{"one is unknown", {4, 4}, false, "001?", SHARE_EQUAL, "aabb ccdd"},
	{"no core near", {8, 0}, false, "0011", SHARE_EQUAL, "aabbccdd"},
	{"too few near", {7, 1}, false, "0011", SHARE_EQUAL, "aabbccd d"},
	{"other socket idle", {4, 4}, false, "0000", SHARE_NEAR, "abcd ...."},
	{"same socket", {2, 2, 2, 2}, true, "1133", SHARE_NEAR, "ab ab cd cd"},
	{"same socket, few cores",
	 {1, 4, 1, 4},
	 true,
	 "1133",
	 SHARE_NEAR,
	 "b aabb d ccdd"},
	{"half of the sockets",
	 {2, 2, 2, 2},
	 true,
	 "01",
	 SHARE_NEAR,
	 "aa bb .. .."},
};

static unsigned make_cores(const struct share_case *c, struct core *core)
{
	unsigned n = 0;

	memset(core, 0, CORES_MAX * sizeof(*core));
	for (unsigned node = 0; node < COUNT(c->node); node++)
		for (unsigned i = 0; i < c->node[node]; i++, n++) {
			idset_add(&core[n].cpus, (int)n);
			core[n].node = (int)node;
			core[n].package = (int)(c->paired ? node / 2 : node);
		}
	return n;
}

/* The owners as a case writes them. */
static void show_owners(const struct share_case *c, const unsigned *owner,
			char *text)
{
	for (unsigned node = 0; node < COUNT(c->node); node++) {
		if (node && c->node[node])
			*text++ = ' ';
		for (unsigned i = 0; i < c->node[node]; i++, owner++)
			*text++ = *owner == SHARE_NOBODY ? '.'
							 : (char)('a' + *owner);
	}
	*text = '\0';
}

static void shares(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct share_case *c = &cases[i];
		struct core core[CORES_MAX];
		unsigned owner[CORES_MAX], n = make_cores(c, core);
		unsigned nprocs = (unsigned)strlen(c->devices);
		char text[2 * CORES_MAX];
		enum share_kind kind;
		int node[8];

		for (unsigned p = 0; p < nprocs; p++)
			node[p] =
				c->devices[p] == '?' ? -1 : c->devices[p] - '0';
		kind = share_cores(core, n, node, nprocs, owner);
		assert_case(c->what, kind == c->kind);
		if (kind == SHARE_NOTHING)
			continue;
		show_owners(c, owner, text);
		if (strcmp(text, c->owners) != 0)
			fail_msg("%s: '%s', not '%s'", c->what, text,
				 c->owners);
	}
}

/* Any number of cores and processes: each has some, contiguous, and nobody
 * has more than one core more than another. */
static void always_fair(void **state)
{
	struct share_case c = {.what = "fair"};
	struct core core[CORES_MAX];
	unsigned owner[CORES_MAX];
	int node[CORES_MAX];

	(void)state;
	for (unsigned n = 1; n <= CORES_MAX; n++)
		for (unsigned p = 1; p <= n; p++) {
			unsigned count[CORES_MAX] = {0};

			c.node[0] = n;
			make_cores(&c, core);
			memset(node, n % 2 ? 0 : 0xff, sizeof(node));
			share_cores(core, n, node, p, owner);
			assert_int_equal(owner[0], 0);
			assert_int_equal(owner[n - 1], p - 1);
			for (unsigned i = 0; i < n; i++) {
				count[owner[i]]++;
				assert_true(!i || owner[i] == owner[i - 1] ||
					    owner[i] == owner[i - 1] + 1);
			}
			for (unsigned i = 0; i < p; i++)
				assert_in_range(count[i], n / p,
						n / p + (n % p != 0));
		}
}

static void of_a_task(void **state)
{
	static const struct {
		unsigned cores, asked, on_node, tasks, expected;
	} rows[] = {
		{0, 0, 0, 1, 0},    {0, 4, 8, 2, 0},	{16, 0, 0, 1, 16},
		{16, 4, 0, 1, 4},   {4, 16, 0, 1, 4},	{64, 0, 64, 8, 8},
		{8, 0, 64, 8, 8},   {64, 0, 64, 1, 64}, {64, 0, 4, 8, 1},
		{32, 0, 64, 4, 16}, {64, 2, 64, 8, 2},	{64, 0, 0, 8, 64},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct job job = {.cpus_per_task = rows[i].asked,
				  .cpus_on_node = rows[i].on_node,
				  .local_ntasks = rows[i].tasks};

		assert_int_equal(share_of_task(&job, rows[i].cores),
				 rows[i].expected);
	}
	assert_int_equal(share_of_process(0, 8), 0);
	assert_int_equal(share_of_process(4, 8), 1);
	assert_int_equal(share_of_process(64, 8), 8);
	assert_int_equal(share_of_process(7, 2), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
		cmocka_unit_test(always_fair),
		cmocka_unit_test(of_a_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
