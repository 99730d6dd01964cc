/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/idlist.h"

#include "tests/fixtures/unit.h"

static void good(void **state)
{
	static const struct {
		const char *text, *written;
	} cases[] = {
		{"", ""},	    {"0", "0"},	  {"0-3,7", "0,1,2,3,7"},
		{"7,0-1", "7,0,1"}, {"3-3", "3"}, {"65535", "65535"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct idlist list;
		char buf[64];

		assert_case(cases[i].text,
			    idlist_parse(cases[i].text, &list) == 0);
		assert_int_equal(idlist_format(&list, buf, sizeof(buf)), 0);
		assert_string_equal(buf, cases[i].written);
	}
}

static void bad(void **state)
{
	static const char *const cases[] = {
		",",
		"0,",
		",0",
		"0,,1",
		"0-",
		"-1",
		"3-1",
		"a",
		"0x1",
		"0 ",
		" 0",
		"0-1-2",
		"65536",
		"0-65535",
		"0;1",
		"0-128",
		"0-127,128",
		"18446744073709551616",
		"0-18446744073709551616",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct idlist list, before;

		memset(&list, UNTOUCHED, sizeof(list));
		before = list;
		assert_case(cases[i], idlist_parse(cases[i], &list) == -1);
		assert_memory_equal(&list, &before, sizeof(list));
	}
}

static void as_many_as_fit(void **state)
{
	char buf[IDLIST_MAX * 4], small[8];
	struct idlist list;

	(void)state;
	assert_int_equal(idlist_parse("0-127", &list), 0);
	assert_int_equal(list.n, IDLIST_MAX);
	for (unsigned i = 0; i < list.n; i++)
		assert_int_equal(list.id[i], i);
	assert_int_equal(idlist_format(&list, buf, sizeof(buf)), 0);
	assert_int_equal(idlist_format(&list, small, sizeof(small)), -1);
	assert_int_equal(idlist_format(&list, small, 0), -1);
	/* "0,1,2,3" and its NUL take exactly eight bytes. */
	assert_int_equal(idlist_parse("0-3", &list), 0);
	assert_int_equal(idlist_format(&list, small, 8), 0);
	assert_int_equal(idlist_format(&list, small, 7), -1);
}

static void places(void **state)
{
	struct idlist list;

	(void)state;
	assert_int_equal(idlist_parse("7,0-1,7", &list), 0);
	assert_int_equal(idlist_find(&list, 7), 0);
	assert_int_equal(idlist_find(&list, 1), 2);
	assert_int_equal(idlist_find(&list, 2), -1);
	list.n = 0;
	assert_int_equal(idlist_find(&list, 7), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test(as_many_as_fit),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
