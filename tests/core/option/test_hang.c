/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/key_forms.h"

#include "tests/fixtures/option_fixture.h"

static void what_it_takes(void **state)
{
	static const struct {
		const char *text;
		long seconds;
		enum hang_act act;
	} takes[] = {
		{"600", 600, HANG_REPORT},
		{"10m:Restart", 600, HANG_RESTART},
		{"1h:fail", 3600, HANG_FAIL},
		{"5:report", 5, HANG_REPORT},
		{"86400", 86400, HANG_REPORT},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(takes); i++) {
		struct request r;
		struct hang hang;
		char text[64];

		snprintf(text, sizeof(text), "ddp,restarts=1,hang=%s",
			 takes[i].text);
		parse_ok(text, &r);
		hang_of(&r, &hang);
		assert_case(text, hang.seconds == takes[i].seconds);
		assert_case(text, hang.act == takes[i].act);
		request_clear(&r);
	}
}

static void off(void **state)
{
	static const char *const words[] = {"ddp", "ddp,hang=off",
					    "ddp,hang=no", "ddp,hang=0"};

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		struct request r;
		struct hang hang;

		parse_ok(words[i], &r);
		hang_of(&r, &hang);
		assert_case(words[i], !hang.seconds);
		request_clear(&r);
	}
}

static void what_it_refuses(void **state)
{
	static const char *const bad[] = {
		"4",	    "86401",	"10:",
		"10:kill",  ":fail",	"10:fail:fail",
		"10 :fail", "off:fail", "yes",
		"1d",	    "10fail",	"1000000000000000000000000000000000000",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		refused_value("hang", bad[i],
			      "must be off, or a number of seconds from 5 to "
			      "86400, or with s, m, h, and behind it nothing, "
			      ":report, :restart or :fail");
}

/* A hang is a failure worth a restart only where the key says so. */
static void restarts(void **state)
{
	struct request r;

	(void)state;
	parse_ok("ddp,hang=10:restart,restarts=1,restart-on=signal", &r);
	assert_true(restart_is_worth(&r, HANG_CODE));
	assert_false(restart_is_worth(&r, 1));
	request_clear(&r);
	parse_ok("ddp,hang=10,restarts=1,restart-on=signal", &r);
	assert_false(restart_is_worth(&r, HANG_CODE));
	request_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_takes),
		cmocka_unit_test(off),
		cmocka_unit_test(what_it_refuses),
		cmocka_unit_test(restarts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
