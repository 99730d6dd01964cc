/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/groups.h"

#include "tests/fixtures/option_fixture.h"

static void what_it_takes(void **state)
{
	static const struct {
		const char *text;
		unsigned world;
		const char *fitted;
		unsigned near; /* what groups-strict=yes means */
	} takes[] = {
		{"tp:8", 64, "tp:8", 1},
		{"tp:8", 8, "tp:8", 1},
		{"tp:4+dp:2", 8, "tp:4+dp:2", 1},
		{"tp:4+dp:2", 16, "tp:4+dp:2", 3},
		{"tp:8+dp+pp:4", 64, "tp:8+dp:2+pp:4", 3},
		{"a-b_1:1+c:5", 5, "a-b_1:1+c:5", 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(takes); i++) {
		char text[128], buf[GROUPS_TEXT_SIZE];
		struct groups g, fitted;
		struct request r;
		struct err err;

		snprintf(text, sizeof(text), "ddp,groups=%s,groups-strict=on",
			 takes[i].text);
		parse_ok(text, &r);
		groups_of(&r, &g);
		assert_int_equal(groups_fit(&g, takes[i].world, &fitted, &err),
				 0);
		assert_string_equal(groups_text(&fitted, buf), takes[i].fitted);
		assert_int_equal(groups_strict(&r, &fitted, takes[i].world),
				 takes[i].near);
		request_clear(&r);
	}
}

static void by_name(void **state)
{
	struct groups g;
	struct request r;

	(void)state;
	parse_ok("ddp,groups=tp:2+cp:2+dp:2,groups-strict=dp+tp", &r);
	groups_of(&r, &g);
	assert_int_equal(groups_strict(&r, &g, 8), 5);
	request_clear(&r);
	parse_ok("ddp,groups=tp:2", &r);
	groups_of(&r, &g);
	assert_int_equal(groups_strict(&r, &g, 8), 0);
	request_clear(&r);
	refused("ddp,groups=tp:2+dp,groups-strict=tp+pp", NULL, NULL,
		"some of the names of groups (tp, dp)");
	refused("ddp,groups-strict=yes", NULL, NULL, "works only with groups=");
}

static void what_it_refuses(void **state)
{
	static const struct {
		const char *value, *why;
	} bad[] = {
		{"tp:0", "from 1 to 1000000"},
		{"tp:1000001", "from 1 to 1000000"},
		{"tp:x", "from 1 to 1000000"},
		{"tp:", "from 1 to 1000000"},
		{"tp:8+", "a name has"},
		{":8", "a name has"},
		{"-tp:8", "a name has"},
		{"TP:8", "a name has"},
		{"sixteen-letters-:2", "a name has"},
		{"tp:2+tp:4", "there twice"},
		{"tp+dp", "only one name"},
		{"dp", "no name has a size"},
		{"a:1+b:1+c:1+d:1+e:1+f:1+g:1+h:1+i:1", "more than 8"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		refused_value("groups", bad[i].value, bad[i].why);
}

static void what_doesnt_fit(void **state)
{
	static const struct {
		const char *text;
		unsigned world;
	} bad[] = {{"tp:3", 8},
		   {"tp:16", 8},
		   {"tp:2+dp+pp:3", 8},
		   {"a:1000000+b:1000000+c:1000000+d:1000000", 8}};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct groups g, fitted;
		struct err err;

		assert_int_equal(groups_parse(bad[i].text, &g, &err), 0);
		assert_int_equal(groups_fit(&g, bad[i].world, &fitted, &err),
				 -1);
		assert_non_null(strstr(err.text, "world of 8 ranks"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_takes),
		cmocka_unit_test(by_name),
		cmocka_unit_test(what_it_refuses),
		cmocka_unit_test(what_doesnt_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
