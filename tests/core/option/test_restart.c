/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/key_forms.h"

#include "tests/fixtures/option_fixture.h"

static void worth(const char *keys, const char *yes)
{
	struct request r;
	char text[8];

	parse_ok(keys, &r);
	for (int code = 1; code < 256; code++) {
		snprintf(text, sizeof(text), " %d ", code);
		if (restart_is_worth(&r, code) != (strstr(yes, text) != NULL))
			fail_msg("%s: exit code %d", keys, code);
	}
	request_clear(&r);
}

static void lists(void **state)
{
	(void)state;
	worth("ddp,restarts=1,restart-on=3", " 3 ");
	worth("ddp,restarts=1,restart-on=127", " 127 ");
	worth("ddp,restarts=1,restart-on=3,139,1", " 1 3 139 ");
	worth("ddp,restart-on=255,restarts=1", " 255 ");
}

static void words(void **state)
{
	static const struct {
		const char *keys;
		int first;
		const char *text;
	} cases[] = {
		{"ddp,restarts=1", 1, "restart-on=any (all but 126 and 127)"},
		{"ddp,restarts=1,restart-on=any", 1,
		 "restart-on=any (all but 126 and 127)"},
		{"ddp,restarts=1,restart-on=signal", 128,
		 "restart-on=signal (128 and above)"},
	};
	char text[RESTART_ON_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct request r;

		parse_ok(cases[i].keys, &r);
		for (int code = 1; code < 256; code++)
			assert_case(cases[i].keys,
				    restart_is_worth(&r, code) ==
					    (code >= cases[i].first &&
					     code != 126 && code != 127));
		assert_string_equal(restart_on_text(&r, text), cases[i].text);
		request_clear(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
