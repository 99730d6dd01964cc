/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/runlength.h"

#include "tests/fixtures/unit.h"

static void read_whole(void **state)
{
	static const struct {
		const char *text;
		unsigned n;
		unsigned long total;
		unsigned max;
		bool uniform;
	} cases[] = {
		{"8", 1, 8, 8, true},
		{"8(x3),2", 4, 26, 8, false},
		{"2,8(x3)", 4, 26, 8, false},
		{"4,4(x2),4", 4, 16, 4, true},
		{"0", 1, 0, 0, true},
		{"0,1", 2, 1, 1, false},
		{"1(x1000000)", 1000000, 1000000, 1, true},
		{"1000000(x1000000)", 1000000, 1000000000000, 1000000, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct runlength c;

		assert_case(cases[i].text,
			    runlength_read(cases[i].text, &c) == 0);
		assert_int_equal(c.n, cases[i].n);
		assert_int_equal(c.total, cases[i].total);
		assert_int_equal(c.max, cases[i].max);
		assert_int_equal(c.uniform, cases[i].uniform);
	}
}

static void refuse(void **state)
{
	static const char *const cases[] = {
		"",
		",",
		"8,",
		",8",
		"8,,8",
		"8(",
		"8(x",
		"8(x3",
		"8(3)",
		"8(x0)",
		"8(x)",
		"8(x3)2",
		"8(x3),",
		"8 ",
		" 8",
		"-8",
		"a",
		"8(x-1)",
		"1000001",
		"1(x1000001)",
		"8(X3)",
		"1(x1000000),1",
		"99999999999999999999",
		"1(x99999999999999999999)",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct runlength c, before;

		memset(&c, UNTOUCHED, sizeof(c));
		before = c;
		assert_case(cases[i], runlength_read(cases[i], &c) == -1);
		assert_memory_equal(&c, &before, sizeof(c));
	}
}

static void at_agrees_with_the_whole(void **state)
{
	static const unsigned expected[] = {8, 8, 8, 2, 0, 5, 5};
	static const char text[] = "8(x3),2,0,5(x2)";
	unsigned long before, sum = 0;
	struct runlength c;
	unsigned count;

	(void)state;
	for (unsigned i = 0; i < COUNT(expected); i++) {
		assert_int_equal(runlength_at(text, i, &count, &before), 0);
		assert_int_equal(count, expected[i]);
		assert_int_equal(before, sum);
		count = 77;
		before = 77;
		assert_int_equal(
			runlength_read_at(text, i, &c, &count, &before), 0);
		assert_int_equal(count, expected[i]);
		assert_int_equal(before, sum);
		assert_int_equal(c.n, COUNT(expected));
		assert_int_equal(c.total, 36);
		sum += count;
	}
	count = 77;
	assert_int_equal(runlength_at(text, COUNT(expected), &count, &before),
			 -1);
	assert_int_equal(runlength_at("", 0, &count, &before), -1);
	assert_int_equal(runlength_at("8(x", 0, &count, &before), -1);
	assert_int_equal(count, 77);
}

static void written_as_read(void **state)
{
	static const unsigned counts[] = {8, 8, 8, 2, 0, 5, 5};
	char *text = runlength_text(counts, COUNT(counts));

	(void)state;
	assert_string_equal(text, "8(x3),2,0,5(x2)");
	free(text);
	text = runlength_text(counts, 1);
	assert_string_equal(text, "8");
	free(text);
	assert_null(runlength_text(counts, 0));
}

static void cost_is_that_of_the_runs(void **state)
{
	unsigned long before;
	unsigned count;

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(
			runlength_at("8(x999999),4", 999999, &count, &before),
			0);
	assert_int_equal(count, 4);
	assert_int_equal(before, 8UL * 999999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_whole),
		cmocka_unit_test(refuse),
		cmocka_unit_test(at_agrees_with_the_whole),
		cmocka_unit_test(written_as_read),
		cmocka_unit_test(cost_is_that_of_the_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
