/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/parse.h"

#include "tests/fixtures/unit.h"

#include <limits.h>

static void show_plain_and_escaped(void **state)
{
	char buf[SHOW_SIZE];

	(void)state;
	assert_string_equal(show(buf, ""), "''");
	assert_string_equal(show(buf, "ddp"), "'ddp'");
	assert_string_equal(show(buf, "a\nb\x1b[1m\x7f"),
			    "'a\\x0ab\\x1b[1m\\x7f'");
	assert_string_equal(show(buf, "\xc3\xbc\xff"), "'\xc3\xbc\\xff'");
	/* what turns text around, or can't be seen */
	assert_string_equal(show(buf, "a\xe2\x80\xae"), "'a\\xe2\\x80\\xae'");
	assert_string_equal(show(buf, "\xef\xbb\xbf"), "'\\xef\\xbb\\xbf'");
	assert_string_equal(show(buf, "\xe2\x80\x9c"), "'\xe2\x80\x9c'");
}

static void show_cuts_after_60(void **state)
{
	char buf[SHOW_SIZE], expected[SHOW_SIZE];
	char *text = repeated('x', 61);

	(void)state;
	snprintf(expected, sizeof(expected), "'%s...'", text + 1);
	assert_string_equal(show(buf, text), expected);
	snprintf(expected, sizeof(expected), "'%s'", text + 1);
	assert_string_equal(show(buf, text + 1), expected);
	free(text);
}

static void show_never_overflows(void **state)
{
	char *text = repeated('\xff', 200 * 1024);
	struct {
		char buf[SHOW_SIZE];
		char after;
	} room;

	(void)state;
	memset(&room, UNTOUCHED, sizeof(room));
	show(room.buf, text);
	assert_int_equal(strlen(room.buf), 60 * 4 + 5);
	assert_int_equal((unsigned char)room.after, UNTOUCHED);
	free(text);
}

static void numbers(void **state)
{
	static const char *const bad[] = {
		"",    "-1",  "+1",  " 1",   "1 ", "1x",
		"0x1", "1.0", "1e3", "\xb2", "-",  "99999999999999999999",
	};
	long n = 77;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_case(bad[i],
			    parse_number(bad[i], LONG_MIN, LONG_MAX, &n) == -1);
	assert_int_equal(parse_number("4", 5, 7, &n), -1);
	assert_int_equal(parse_number("8", 5, 7, &n), -1);
	assert_int_equal(n, 77);
	for (long i = 5; i <= 7; i++) {
		char text[4] = {(char)('0' + i), '\0'};

		assert_int_equal(parse_number(text, 5, 7, &n), 0);
		assert_int_equal(n, i);
	}
	assert_int_equal(parse_number("0007", 5, 7, &n), 0);
	assert_int_equal(n, 7);
}

static void ranges(void **state)
{
	static const struct {
		const char *text, *rest; /* NULL: refused */
		unsigned first, last;
	} cases[] = {
		{"3", "", 3, 3},
		{"3-7", "", 3, 7},
		{"3-3,5", "5", 3, 3},
		{"99", "", 99, 99},
		{"007 ", " ", 7, 7},
		{"1,", ",", 1, 1},
		{"1,x", ",x", 1, 1},
		{"1-2-3", "-3", 1, 2},
		{"100", NULL, 0, 0},
		{"0-100", NULL, 0, 0},
		{"7-3", NULL, 0, 0},
		{"1-", NULL, 0, 0},
		{"-1", NULL, 0, 0},
		{"", NULL, 0, 0},
		{" 1", NULL, 0, 0},
		{"99999999999999999999", NULL, 0, 0},
		{"4294967297", NULL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *text = cases[i].text, *at = text;
		unsigned first = 777, last = 777;
		int rc = parse_range(&at, 99, &first, &last);

		assert_case(text, rc == (cases[i].rest ? 0 : -1));
		if (rc < 0) {
			assert_case(text, at == text && first == 777);
			assert_case(text, last == 777);
			continue;
		}
		assert_string_equal(at, cases[i].rest);
		assert_case(text, first == cases[i].first);
		assert_case(text, last == cases[i].last);
	}
}

static void words(void **state)
{
	(void)state;
	assert_true(is_word("eth0", "", 4));
	assert_false(is_word("eth0", "", 3));
	assert_false(is_word("", "._-", 15));
	assert_true(is_word("ib0.8000@x", ".@", 15));
	assert_false(is_word("a b", "._-", 15));
	assert_false(is_word("a/b", "._-", 15));
	assert_false(is_word("\xc3\xa4", "._-", 15));
}

static void finding(void **state)
{
	int at = 77;

	(void)state;
	assert_true(word_find("auto task device", "auto", 4, &at));
	assert_int_equal(at, 0);
	assert_true(word_find("auto task device", "device", 6, &at));
	assert_int_equal(at, 2);
	assert_true(word_find("ddp,env", "env", 3, NULL));
	assert_true(word_find("ddp,env", "envy", 3, NULL));
	assert_false(word_find("auto task device", "dev", 3, &at));
	assert_false(word_find("auto task device", "devices", 7, &at));
	assert_false(word_find("", "a", 1, &at));
	assert_int_equal(at, 2);
}

static void digits(void **state)
{
	static const unsigned long n[] = {0, 7, 10, 4294967295, 1000000000000};
	char buf[DIGITS_SIZE], same[DIGITS_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(n); i++) {
		const char *text = digits_text(n[i], buf);
		unsigned long back = 77;

		snprintf(same, sizeof(same), "%lu", n[i]);
		assert_string_equal(text, same);
		assert_int_equal(digits_read(&text, n[i], &back), 0);
		assert_int_equal(back, n[i]);
		assert_string_equal(text, "");
		text = same;
		back = 77;
		if (n[i])
			assert_int_equal(digits_read(&text, n[i] - 1, &back),
					 -1);
		assert_ptr_equal(text, same);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(show_plain_and_escaped),
		cmocka_unit_test(show_cuts_after_60),
		cmocka_unit_test(show_never_overflows),
		cmocka_unit_test(numbers),
		cmocka_unit_test(ranges),
		cmocka_unit_test(words),
		cmocka_unit_test(finding),
		cmocka_unit_test(digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
