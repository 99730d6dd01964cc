/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/hostlist.h"

#include "tests/fixtures/unit.h"

static void names(void **state)
{
	/* Each list and all its names. */
	static const char *const cases[][8] = {
		{"node1", "node1"},
		{"node[1-3]", "node1", "node2", "node3"},
		{"node[001-003,7],login", "node001", "node002", "node003",
		 "node7", "login"},
		{"node[8-11]", "node8", "node9", "node10", "node11"},
		{"node[08-11]", "node08", "node09", "node10", "node11"},
		{"a,b,c", "a", "b", "c"},
		{"r[1-2]n[1-2]", "r1n1", "r1n2", "r2n1", "r2n2"},
		{"r[1-2][8-9]", "r18", "r19", "r28", "r29"},
		{"x[3],y[4-4]", "x3", "y4"},
		{"n[1,3,5-6]", "n1", "n3", "n5", "n6"},
		{"gpu-a.b_c[0-1]", "gpu-a.b_c0", "gpu-a.b_c1"},
		{"n[1-2]-ib,q", "n1-ib", "n2-ib", "q"},
		{"n[1]x[2-3]y", "n1x2y", "n1x3y"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		unsigned n, at, count = 77;

		assert_case(cases[i][0],
			    hostlist_count(cases[i][0], &count) == 0);
		for (n = 0; n < 7 && cases[i][n + 1]; n++) {
			char name[HOSTLIST_NAME_MAX];

			assert_case(cases[i][0],
				    hostlist_nth(cases[i][0], n, name) == 0);
			assert_string_equal(name, cases[i][n + 1]);
			assert_int_equal(hostlist_find(cases[i][0], name, &at),
					 0);
			assert_int_equal(at, n);
		}
		assert_int_equal(count, n);
	}
}

static void refuse(void **state)
{
	static const char *const cases[] = {
		"",
		",",
		"a,",
		",a",
		"a,,b",
		"n[",
		"n[]",
		"n[1",
		"n[1-",
		"n[1-]",
		"n[-1]",
		"n[3-1]",
		"n[1,]",
		"n[,1]",
		"n[a]",
		"n]",
		"n[1]]",
		"n[1][",
		"n 1",
		"a\tb",
		"n[1-2-3]",
		"n[1 ]",
		"n[1][]",
		"n[0-1000000]",
		"n[0-999][0-999][0-1]",
		"n[12345678901]",
		"n[1-99999999999]",
		"n[0-999999],m",
	};
	char name[HOSTLIST_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		unsigned n = 77;

		assert_case(cases[i], hostlist_count(cases[i], &n) == -1);
		assert_int_equal(n, 77);
		assert_case(cases[i],
			    hostlist_nth(cases[i], 1000001, name) == -1);
		assert_case(cases[i],
			    hostlist_find(cases[i], "absent", &n) == -1);
		assert_int_equal(n, 77);
	}
}

/* The first name is found without a look at the others. */
static void first_of_bad_ones(void **state)
{
	static const char *const none[] = {
		"",	  ",",	  ",a",	   "n[",    "n[]",
		"n[1",	  "n[1-", "n[-1]", "n]",    "n x",
		"n[2-1]", "n[x]", "n[1]]", "n[1][", "n[12345678901]"};
	char name[HOSTLIST_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(none); i++)
		assert_case(none[i], hostlist_nth(none[i], 0, name) == -1);
	assert_int_equal(hostlist_nth("n[07,x]", 0, name), 0);
	assert_string_equal(name, "n07");
	assert_int_equal(hostlist_nth("n[1-3]a[07-8]b,[", 0, name), 0);
	assert_string_equal(name, "n1a07b");
}

/* A list without any range: every second number, 100,000 of them. */
static void large_irregular(void **state)
{
	enum { N = 100000 };
	char *text = malloc(N * 7 + 8), *at = text;
	char name[HOSTLIST_NAME_MAX];
	unsigned n, found;

	(void)state;
	at += sprintf(at, "n[");
	for (unsigned i = 0; i < N; i++)
		at += sprintf(at, i ? ",%u" : "%u", 2 * i + 1);
	strcpy(at, "]");
	assert_int_equal(hostlist_count(text, &n), 0);
	assert_int_equal(n, N);
	for (unsigned i = 0; i < N; i += 9999) {
		char expected[16];

		sprintf(expected, "n%u", 2 * i + 1);
		assert_int_equal(hostlist_nth(text, i, name), 0);
		assert_string_equal(name, expected);
		assert_int_equal(hostlist_find(text, name, &found), 0);
		assert_int_equal(found, i);
	}
	assert_int_equal(hostlist_nth(text, N, name), -1);
	free(text);
}

static void large_lists(void **state)
{
	char name[HOSTLIST_NAME_MAX];
	unsigned n, at;

	(void)state;
	assert_int_equal(hostlist_count("n[0-999999]", &n), 0);
	assert_int_equal(n, HOSTLIST_MAX);
	assert_int_equal(hostlist_nth("n[000000-999999]", 4711, name), 0);
	assert_string_equal(name, "n004711");
	assert_int_equal(hostlist_find("n[000000-999999]", "n004711", &at), 0);
	assert_int_equal(at, 4711);
	assert_int_equal(hostlist_find("n[000000-999999]", "n4711", &at), -1);
	assert_int_equal(hostlist_nth("n[0-9]", 10, name), -1);
}

static void names_too_long(void **state)
{
	char *text = repeated('a', HOSTLIST_NAME_MAX + 3);
	char name[HOSTLIST_NAME_MAX];

	(void)state;
	assert_int_equal(hostlist_nth(text, 0, name), -1);
	text[HOSTLIST_NAME_MAX] = '\0';
	assert_int_equal(hostlist_nth(text, 0, name), -1);
	text[HOSTLIST_NAME_MAX - 1] = '\0';
	assert_int_equal(hostlist_nth(text, 0, name), 0);
	assert_string_equal(name, text);
	/* The digits are what makes it too long. */
	memcpy(text + HOSTLIST_NAME_MAX - 3, "[100]", 6);
	assert_int_equal(hostlist_nth(text, 0, name), -1);
	memcpy(text + HOSTLIST_NAME_MAX - 3, "[10]", 5);
	assert_int_equal(hostlist_nth(text, 0, name), 0);
	free(text);
}

static void find_takes_whole_names(void **state)
{
	unsigned at = 77;

	(void)state;
	assert_int_equal(hostlist_find("node[1-12]", "node1", &at), 0);
	assert_int_equal(at, 0);
	assert_int_equal(hostlist_find("node[1-12]", "node12", &at), 0);
	assert_int_equal(at, 11);
	assert_int_equal(hostlist_find("node[1-12]", "node13", &at), -1);
	assert_int_equal(hostlist_find("node[1-12]", "node", &at), -1);
	assert_int_equal(hostlist_find("node[1-12]", "", &at), -1);
	assert_int_equal(hostlist_find("node[1-12]", "node01", &at), -1);
	assert_int_equal(hostlist_find("nodeA,node[1-2]", "node2", &at), 0);
	assert_int_equal(at, 2);
}

struct walk {
	const char *text;
	unsigned at;
};

static int compare_with_nth(void *arg, const char *name)
{
	char expected[HOSTLIST_NAME_MAX];
	struct walk *w = arg;

	assert_int_equal(hostlist_nth(w->text, w->at++, expected), 0);
	assert_string_equal(name, expected);
	return 0;
}

static int stop_at_third(void *arg, const char *name)
{
	(void)name;
	return ++*(unsigned *)arg == 3;
}

static void each_in_turn(void **state)
{
	static const char *const lists[] = {
		"node1",
		"node[1-3]",
		"a,b[08-11,3],c",
		"r[1-3]-n[09-12,99],x",
		"10.0.0.1,10.0.0.2",
		"rack[1-2]node[1-2]gpu[0-1]",
	};
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct walk w = {.text = lists[i]};

		assert_int_equal(hostlist_count(lists[i], &n), 0);
		assert_int_equal(hostlist_each(lists[i], compare_with_nth, &w),
				 0);
		assert_int_equal(w.at, n);
	}
	n = 0;
	assert_int_equal(hostlist_each("node[1-9]", stop_at_third, &n), -1);
	assert_int_equal(n, 3);
	assert_int_equal(hostlist_each("node[1-", stop_at_third, &n), -1);
	assert_int_equal(n, 3);
}

/* Every list of up to three groups over small ranges. */
static void nth_and_find_agree(void **state)
{
	(void)state;
	for (unsigned a = 0; a < 12; a++)
		for (unsigned b = a; b < 13; b++) {
			char text[64], name[HOSTLIST_NAME_MAX];
			unsigned n, at;

			snprintf(text, sizeof(text), "x,r[%u-%u]-n[%02u-%u,99]",
				 a, b, a, b);
			assert_int_equal(hostlist_count(text, &n), 0);
			assert_int_equal(n, 1 + (b - a + 1) * (b - a + 2));
			for (unsigned i = 0; i < n; i++) {
				assert_int_equal(hostlist_nth(text, i, name),
						 0);
				assert_int_equal(hostlist_find(text, name, &at),
						 0);
				assert_int_equal(at, i);
			}
		}
}

/* Side by side, digits may be divided in several ways: the first of the list's
 * names counts. */
static void find_divides_digits(void **state)
{
	static const struct {
		const char *list, *name;
		int at; /* -1: it isn't there */
	} cases[] = {
		{"r[1-20][1-20]", "r112", 11},
		{"r[1-20][1-20]", "r1212", 11 * 20 + 11},
		{"r[1-20][1-20]", "r2020", 399},
		{"r[1-20][1-20]", "r2121", -1},
		{"r[1-20][1-20]", "r0101", -1},
		{"r[01-20][1-20]", "r0101", -1},
		{"r[01-20][1-20]", "r011", 0},
		{"r[1-3][1-3][1-3]", "r123", 5},
		{"r[5,1,1,5]", "r1", 1},
		{"r[1,1,1]x[2,2]", "r1x2", 0},
		{"r[1,11]1", "r11", 0},
		{"r[1,11]1", "r111", 1},
		{"a[1]b,a[1]b[2],a1b2", "a1b2", 1},
		{"n[0001-1000000]", "n1000000", 999999},
		{"n[9999999999]", "n9999999999", 0},
		{"[1-2]", "2", 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		unsigned at = 77;
		int rc = hostlist_find(cases[i].list, cases[i].name, &at);

		assert_case(
			cases[i].name,
			rc == (cases[i].at < 0 ? -1 : 0) &&
				at == (rc < 0 ? 77 : (unsigned)cases[i].at));
	}
}

/* What is expanded has the same names at the same places. */
static void index_of_names(void **state)
{
	static const char list[] = "b[1-3],a,b[2,9],r[1-2][8-9],a";
	struct hostindex index;
	struct err err;

	(void)state;
	assert_int_equal(hostindex_make(list, &index, &err), 0);
	assert_int_equal(index.n, 11);
	for (unsigned i = 0; i < index.n; i++) {
		char name[HOSTLIST_NAME_MAX];
		unsigned at, same;

		assert_int_equal(hostlist_nth(list, i, name), 0);
		assert_string_equal(index.name[i], name);
		assert_int_equal(hostindex_find(&index, name, &at), 0);
		assert_int_equal(hostlist_find(list, name, &same), 0);
		assert_int_equal(at, same);
	}
	assert_int_equal(hostindex_find(&index, "b", &index.n), -1);
	assert_int_equal(hostindex_find(&index, "zz", &index.n), -1);
	assert_int_equal(hostindex_find(&index, "", &index.n), -1);
	hostindex_clear(&index);
	assert_int_equal(hostindex_make("a[", &index, &err), -1);
	assert_string_equal(err.text, "'a[' isn't a list of nodes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(refuse),
		cmocka_unit_test(first_of_bad_ones),
		cmocka_unit_test(large_irregular),
		cmocka_unit_test(large_lists),
		cmocka_unit_test(names_too_long),
		cmocka_unit_test(find_takes_whole_names),
		cmocka_unit_test(find_divides_digits),
		cmocka_unit_test(index_of_names),
		cmocka_unit_test(nth_and_find_agree),
		cmocka_unit_test(each_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
