/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include "tests/fixtures/unit.h"

static void becomes(const char *text, const char *kept, const char *expected)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%s", text);
	plain_text(buf, kept);
	assert_string_equal(buf, expected);
}

/* Nothing that a terminal takes for a command is left, and no part of a
 * character that another byte could complete. */
static void nothing_moves_the_cursor(void **state)
{
	(void)state;
	becomes("", "", "");
	becomes("n\xc3\xa4m\xe4\xb8\xad\xf0\x9f\x98\x80", "",
		"n\xc3\xa4m\xe4\xb8\xad\xf0\x9f\x98\x80");
	becomes("\033[2J\a\177\r", "", "?[2J???");
	becomes("a\tb\nc", "", "a?b?c");
	becomes("a\tb\nc\r", "\t\n", "a\tb\nc?");
	becomes("\xc2\x9b"
		"31m\xc2\xa0",
		"\t\n", "??31m\xc2\xa0");
	becomes("\x9b\xff\xc3", "", "???");
	becomes("\xe4\xb8", "\t\n", "??");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_moves_the_cursor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
