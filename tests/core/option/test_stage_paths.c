/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/option.h"

#include "core/plan/resolve.h"
#include "tests/fixtures/option_fixture.h"

static void what_it_takes(void **state)
{
	static const struct {
		const char *option, *paths; /* NULL: a word */
		bool stages;
	} takes[] = {
		{"ddp", NULL, false},
		{"ddp,stage=no", NULL, false},
		{"ddp,stage=auto", NULL, true},
		{"ddp,stage=/a/b", "/a/b|", true},
		{"ddp,stage=.venv+/m/w.sif,stage-strict=yes", ".venv|/m/w.sif|",
		 true},
		{"ddp,stage=/a/lr=1,,b", "/a/lr=1,b|", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(takes); i++) {
		const char *text, *at;
		struct resolved w;
		struct request r;
		char all[256] = "";
		size_t n;

		parse_ok(takes[i].option, &r);
		text = request_text(&r, KEY_STAGE);
		while ((at = stage_next_path(&text, &n)))
			text_add(all, sizeof(all), "", "%.*s|", (int)n, at);
		assert_string_equal(all, takes[i].paths ? takes[i].paths : "");
		resolve(&r, NULL, &w);
		assert_case(takes[i].option, w.stages == takes[i].stages);
		assert_case(takes[i].option, !w.stages || w.launcher_why);
		request_clear(&r);
	}
}

static void what_it_refuses(void **state)
{
	(void)state;
	refused("ddp,stage=/a++/b", NULL, NULL, "paths joined by +");
	refused("ddp,stage=+", NULL, NULL, "paths joined by +");
	refused("ddp,stage=/a+/b+/c+/d+/e+/f+/g+/h+/i", NULL, NULL,
		"at most 8 paths");
	refused("ddp,stage=yes", NULL, NULL, "stage='yes': must be one of");
	refused("ddp,stage-strict=yes", NULL, NULL, "stage-strict");
	refused("ddp,stage=auto,supervise=no", NULL, NULL,
		"supervise=no: stage needs the launcher");
}

/* The smaller one of what the user and the administrator let stay. */
static void what_stays(void **state)
{
	static const struct {
		const char *option;
		long site, keeps;
	} cases[] = {
		{"ddp,stage=auto", -1, -1},
		{"ddp,stage=auto,stage-keep=all", 7, 7},
		{"ddp,stage=auto,stage-keep=0", -1, 0},
		{"ddp,stage=auto,stage-keep=0", 7, 0},
		{"ddp,stage=auto,stage-keep=500M", -1, 500L << 20},
		{"ddp,stage=auto,stage-keep=1t", 20L << 30, 20L << 30},
		{"ddp,stage=auto,stage-keep=2K", 20L << 30, 2L << 10},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct config config = {.stagekeep = cases[i].site};
		struct request r;

		parse_ok(cases[i].option, &r);
		assert_case(cases[i].option,
			    stage_keeps(&r, &config) == cases[i].keeps);
		request_clear(&r);
	}
	refused("ddp,stage=auto,stage-keep=20", NULL, NULL,
		"stage-keep='20': must be one of all|SIZE, as 500M or 20G");
	refused("ddp,stage=auto,stage-keep=-1G", NULL, NULL, "stage-keep=");
	refused("ddp,stage=auto,stage-keep=G", NULL, NULL, "stage-keep=");
	refused("ddp,stage=auto,stage-keep=9999999T", NULL, NULL,
		"stage-keep=");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_takes),
		cmocka_unit_test(what_stays),
		cmocka_unit_test(what_it_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
