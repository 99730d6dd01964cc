/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/message.h"

#include "tests/fixtures/unit.h"

static void numbers(void **state)
{
	const char *text = "3 255 0 rank 1 on node2";
	long n;

	(void)state;
	assert_int_equal(message_number(&text, 0, 9, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(message_number(&text, 1, 255, &n), 0);
	assert_int_equal(n, 255);
	assert_int_equal(message_number(&text, 0, 0, &n), 0);
	assert_string_equal(text, "rank 1 on node2");
	assert_int_equal(message_number(&text, 0, 9, &n), -1);
	assert_string_equal(text, "rank 1 on node2");
	assert_int_equal(n, 0);
}

static void last_number(void **state)
{
	const char *text = "17";
	long n;

	(void)state;
	assert_int_equal(message_number(&text, 0, 99, &n), 0);
	assert_int_equal(n, 17);
	assert_string_equal(text, "");
	assert_int_equal(message_number(&text, 0, 99, &n), -1);
}

static void nonsense(void **state)
{
	static const char *const bad[] = {
		"",
		" 1",
		"-1",
		"+1",
		"1x",
		"0x1",
		"100",
		"1\n",
		"\xff",
		"1.5",
		"99999999999999999999999999",
		"000000000000000000000100",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *text = bad[i];
		long n = 42;

		assert_int_equal(message_number(&text, 0, 99, &n), -1);
		assert_ptr_equal(text, bad[i]);
		assert_int_equal(n, 42);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(last_number),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
