/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of CPUs and NUMA nodes. */
#include "core/base/idset.h"

#include "tests/fixtures/unit.h"

static void lists(void **state)
{
	static const struct {
		const char *text, *again; /* NULL: refused */
		unsigned n;
	} cases[] = {
		{"", "", 0},
		{"\n", "", 0},
		{"0\n", "0", 1},
		{"0-3,8\n", "0-3,8", 5},
		{"8,0-3", "0-3,8", 5},
		{"0-1,1-2", "0-2", 3},
		{"60-70", "60-70", 11},
		{"63,64,4095", "63-64,4095", 3},
		{"0-4095", "0-4095", 4096},
		{"4096", NULL, 0},
		{"0-4096", NULL, 0},
		{"99999999999999999999", NULL, 0},
		{"3-1", NULL, 0},
		{"1-", NULL, 0},
		{"-1", NULL, 0},
		{"1,", NULL, 0},
		{",1", NULL, 0},
		{"1,,2", NULL, 0},
		{"1 2", NULL, 0},
		{"a", NULL, 0},
		{"1x", NULL, 0},
		{" 1", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *text = cases[i].text;
		struct idset set, before;
		char buf[64];

		memset(&set, UNTOUCHED, sizeof(set));
		before = set;
		if (!cases[i].again) {
			assert_case(text, idset_parse(text, &set) < 0);
			assert_memory_equal(&set, &before, sizeof(set));
			continue;
		}
		assert_case(text, idset_parse(text, &set) == 0);
		assert_case(text, idset_count(&set) == cases[i].n);
		assert_case(text, idset_format(&set, buf, sizeof(buf)) == 0);
		assert_string_equal(buf, cases[i].again);
	}
}

static void too_long(void **state)
{
	struct idset set = {{0}};
	char buf[8];

	(void)state;
	for (int id = 0; id < 20; id += 2)
		idset_add(&set, id);
	assert_int_equal(idset_format(&set, buf, sizeof(buf)), -1);
	assert_int_equal(idset_format(&set, buf, 0), -1);
	assert_int_equal(strlen(buf) < sizeof(buf), 1);
}

static void members(void **state)
{
	struct idset a = {{0}}, b = {{0}};

	(void)state;
	idset_add(&a, -1);
	idset_add(&a, IDSET_MAX);
	assert_int_equal(idset_next(&a, 0), -1);
	idset_add(&a, 5);
	idset_add(&a, 64);
	idset_add(&a, IDSET_MAX - 1);
	assert_true(idset_has(&a, 64));
	assert_false(idset_has(&a, 63));
	assert_false(idset_has(&a, -1));
	assert_false(idset_has(&a, IDSET_MAX));
	assert_int_equal(idset_next(&a, 0), 5);
	assert_int_equal(idset_next(&a, 6), 64);
	assert_int_equal(idset_next(&a, 65), IDSET_MAX - 1);
	assert_int_equal(idset_next(&a, IDSET_MAX), -1);
	idset_add(&b, 64);
	idset_add(&b, 65);
	idset_intersect(&a, &b);
	assert_int_equal(idset_count(&a), 1);
	idset_unite(&a, &b);
	assert_int_equal(idset_count(&a), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(too_long),
		cmocka_unit_test(members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
