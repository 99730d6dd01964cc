/* SPDX-License-Identifier: Apache-2.0 */
/* Domains that Slurm doesn't tell, around its blocks and switches. */
#include "core/topology/topology.h"

#include "tests/fixtures/unit.h"

#define NODES 6

/* By node: its path "super pod A/b1/s1", "-" is a level without, "=" one that
 * holds the unit before; then its place in the order. Domains are letters, '-'
 * is none. */
static const struct {
	const char *what, *text, *domains;
	const char *path[NODES];
	unsigned order[NODES];
} cases[] = {
	{"nobody knows anything",
	 "",
	 "------",
	 {"", "", "", "", "", ""},
	 {0, 1, 2, 3, 4, 5}},
	{"domains alone",
	 "",
	 "ABABAB",
	 {"A", "B", "A", "B", "A", "B"},
	 {0, 2, 4, 1, 3, 5}},
	{"a node that nobody has told of",
	 "",
	 "AB-AB-",
	 {"A", "B", "-", "A", "B", "-"},
	 {0, 3, 1, 4, 2, 5}},
	{"switches inside domains",
	 "SwitchName=s1 Nodes=n[1,4]\nSwitchName=s2 Nodes=n[2-3,5-6]\n",
	 "AAABBB",
	 {"A/s1", "A/s2", "A/s2", "B/s1", "B/s2", "B/s2"},
	 {0, 1, 2, 3, 4, 5}},
	{"switches that order a domain",
	 "SwitchName=s1 Nodes=n[1,4]\nSwitchName=s2 Nodes=n[2-3,5-6]\n",
	 "ABAAAB",
	 {"A/s1", "B/s2", "A/s2", "A/s1", "A/s2", "B/s2"},
	 {0, 3, 2, 4, 1, 5}},
	{"blocks inside domains",
	 "BlockName=b1 Nodes=n[1,3]\nBlockName=b2 Nodes=n[2,5]\n"
	 "BlockName=b3 Nodes=n[4,6]\n",
	 "ABABBA",
	 {"A/b1", "B/b2", "A/b1", "B/b3!", "B/b2", "A/b3!"},
	 {0, 2, 5, 3, 1, 4}},
	{"a block of two domains isn't one",
	 "BlockName=b1 Nodes=n[1-6]\n",
	 "AABBAB",
	 {"A/=", "A/=", "B/=", "B/=", "A/=", "B/="},
	 {0, 1, 4, 2, 3, 5}},
	{"a block without a domain",
	 "BlockName=b1 Nodes=n[1,3]\nBlockName=b2 Nodes=n[2,4]\n",
	 "A-A---",
	 {"A/b1", "b2/b2", "A/b1", "b2/b2", "-/-", "-/-"},
	 {0, 2, 1, 3, 4, 5}},
	{"a domain without a block",
	 "BlockName=b1 Nodes=n[2,4]\n",
	 "AB-BA-",
	 {"A/=", "B/b1", "-/-", "B/b1", "A/=", "-/-"},
	 {0, 4, 1, 3, 2, 5}},
};

/* "A/b1" of the table as names; '!' marks a block that no longer counts. */
static void wanted_path(const char *wanted, char *ret, size_t size)
{
	char copy[64], *save, *last = NULL;

	*ret = '\0';
	snprintf(copy, sizeof(copy), "%s", wanted);
	for (char *w = strtok_r(copy, "/", &save); w;
	     w = strtok_r(NULL, "/", &save)) {
		size_t used = strlen(ret);

		if (*w == '=' || strchr(w, '!'))
			w = last;
		snprintf(ret + used, size - used, "%s%s%s", used ? "/" : "",
			 strchr("AB", *w) ? "super pod " : "", w);
		last = w;
	}
}

static void found_path(const struct topology *t, unsigned node, char *ret,
		       size_t size)
{
	*ret = '\0';
	for (unsigned i = 0; i < t->depth; i++) {
		unsigned unit = t->path[node * t->depth + i];
		size_t used = strlen(ret);

		snprintf(ret + used, size - used, "%s%s", i ? "/" : "",
			 unit == TOPOLOGY_NONE ? "-" : topology_name(t, unit));
	}
}

static void set_domains(const char *letters, char names[NODES][2],
			char *ret[NODES])
{
	for (unsigned i = 0; i < NODES; i++) {
		snprintf(names[i], 2, "%c", letters[i]);
		ret[i] = letters[i] == '-' ? NULL : names[i];
	}
}

static void paths_and_order(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cases); c++) {
		const struct topology_wish wish = {.nworld = 0};
		char names[NODES][2], *domain[NODES];
		char wanted[128], found[128];
		struct topology t = {0};
		struct err err = {""};
		unsigned *order;

		set_domains(cases[c].domains, names, domain);
		assert_int_equal(
			topology_read(cases[c].text, "n[1-6]", &t, &err), 0);
		assert_case(cases[c].what,
			    topology_enclose(&t, "super pod", domain, NODES,
					     &err) == 0);
		for (unsigned i = 0; i < NODES; i++) {
			wanted_path(cases[c].path[i], wanted, sizeof(wanted));
			found_path(&t, i, found, sizeof(found));
			assert_string_equal(found, wanted);
		}
		order = topology_order(&t, &wish, &err);
		assert_non_null(order);
		for (unsigned i = 0; i < NODES; i++)
			assert_case(cases[c].what,
				    order[i] == cases[c].order[i]);
		free(order);
		topology_clear(&t);
	}
}

/* Who crosses a domain crosses a block, whatever Slurm's blocks are. */
static void no_block_is_shared(void **state)
{
	static const char *const texts[] = {
		"",
		"BlockName=b1 Nodes=n[1-6]\n",
		"BlockName=b1 Nodes=n[1-3]\nBlockName=b2 Nodes=n[4-6]\n",
		("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\n"
		 "AggregatedBlock=b1,b2 Nodes=n[1-4]\n"),
		"SwitchName=s1 Nodes=n[1-6]\n",
	};
	char letters[NODES + 1] = "";

	(void)state;
	for (unsigned c = 0; c < 729 * COUNT(texts); c++) {
		char names[NODES][2], *domain[NODES];
		struct topology t = {0};
		struct err err = {""};
		unsigned rest = c / (unsigned)COUNT(texts);

		for (unsigned i = 0; i < NODES; i++, rest /= 3)
			letters[i] = "-AB"[rest % 3];
		set_domains(letters, names, domain);
		assert_int_equal(topology_read(texts[c % COUNT(texts)],
					       "n[1-6]", &t, &err),
				 0);
		assert_int_equal(
			topology_enclose(&t, "pod", domain, NODES, &err), 0);
		for (unsigned i = 0; i < NODES; i++)
			for (unsigned k = 0; k < i; k++)
				assert_case(
					letters,
					letters[i] == letters[k] ||
						letters[i] == '-' ||
						letters[k] == '-' ||
						topology_block(&t, i) !=
							topology_block(&t, k));
		topology_clear(&t);
	}
}

/* Where Slurm has told nothing at all, not even how many nodes there are. */
static void nothing_before(void **state)
{
	static char a[] = "0", b[] = "1";
	char *const domain[] = {b, NULL, a, b};
	struct topology t = {0};
	struct err err = {""};

	(void)state;
	assert_int_equal(topology_enclose(&t, "super pod", domain, 4, &err), 0);
	assert_int_equal(t.nnodes, 4);
	assert_true(t.enclosed);
	assert_string_equal(topology_name(&t, topology_block(&t, 0)),
			    "super pod 1");
	assert_int_equal(topology_block(&t, 1), TOPOLOGY_NONE);
	assert_string_equal(topology_name(&t, topology_block(&t, 2)),
			    "super pod 0");
	assert_int_equal(topology_block(&t, 3), topology_block(&t, 0));
	assert_int_equal(topology_switch(&t, 0), TOPOLOGY_NONE);
	topology_clear(&t);
}

/* How many nodes a switch has stays known; a domain has none. */
static void leaves(void **state)
{
	static char a[] = "0";
	char *const domain[] = {a, a};
	struct topology t = {0};
	struct err err = {""};

	(void)state;
	assert_int_equal(topology_read("SwitchName=s1 Nodes=n[1-9]\n", "n[1-2]",
				       &t, &err),
			 0);
	assert_int_equal(topology_enclose(&t, "super pod", domain, 2, &err), 0);
	assert_int_equal(t.nunits, 2);
	assert_int_equal(t.leaf[topology_switch(&t, 1)], 9);
	assert_int_equal(t.leaf[topology_block(&t, 1)], 0);
	topology_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_and_order),
		cmocka_unit_test(no_block_is_shared),
		cmocka_unit_test(nothing_before),
		cmocka_unit_test(leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
