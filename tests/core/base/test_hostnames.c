/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a host list as an array, and the list of an array. */
#include "core/base/hostlist.h"

#include "tests/fixtures/unit.h"

/* The list is that of the names, as short as it can be, and reads back. */
static void folded(void **state)
{
	static const struct {
		const char *names, *text;
		unsigned n;
	} cases[] = {
		{"node1", "node1", 1},
		{"node1,node2,node3,node4", "node[1-4]", 4},
		{"node3,node1,node2", "node[3,1-2]", 3},
		{"node9,node10,node11", "node[9-11]", 3},
		{"n001,n002,n010", "n[001-002,010]", 3},
		{"n09,n10,n9", "n[09-10,9]", 3},
		{"n1,n01,n2", "n[1,01,2]", 3},
		{"login,a1,a2,b1", "login,a[1-2],b1", 4},
		{"n1-ib,n2-ib", "n1-ib,n2-ib", 2},
		{"r1n1,r1n2,r2n1", "r1n[1-2],r2n1", 3},
		{"7,8", "[7-8]", 2},
		{"n99999999999,n1", "n99999999999,n1", 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char **names = hostnames_make(cases[i].names, cases[i].n);
		char **back;
		char *text;

		assert_case(cases[i].names, names != NULL);
		text = hostnames_text(names, cases[i].n);
		assert_string_equal(text, cases[i].text);
		back = hostnames_make(text, cases[i].n);
		assert_case(text, back != NULL);
		for (unsigned k = 0; k <= cases[i].n; k++)
			assert_case(text, !names[k] == !back[k] &&
						  (!names[k] ||
						   !strcmp(names[k], back[k])));
		free(text);
		hostnames_free(names);
		hostnames_free(back);
	}
}

static void other_numbers_of_names(void **state)
{
	(void)state;
	assert_null(hostnames_make("node[1-3]", 2));
	assert_null(hostnames_make("node[1-3]", 4));
	assert_null(hostnames_make("node[1-", 1));
	hostnames_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded),
		cmocka_unit_test(other_numbers_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
