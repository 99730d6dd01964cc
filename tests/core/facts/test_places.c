/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes are in the world, as texts that launchers tell each other. */
#include "core/facts/places.h"

#include "tests/fixtures/unit.h"

static void first_round(void **state)
{
	struct places p;
	struct err err;
	char *text;

	(void)state;
	assert_int_equal(places_first(5, 1, &p, &err), 0);
	text = places_text(&p);
	assert_string_equal(text, "0-3");
	assert_int_equal(places_of(&p, 3), 3);
	assert_int_equal(places_of(&p, 4), PLACE_NONE);
	free(text);
	places_clear(&p);
	assert_int_equal(places_first(3, 3, &p, &err), -1);
	assert_int_equal(places_first(3, 4, &p, &err), -1);
}

static void there_and_back(void **state)
{
	static const char *const texts[] = {
		"0", "5", "0-5", "0-2,5,4", "5,4,3,2,1,0", "1-2,4-5"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct places p;
		struct err err;
		char *text;

		assert_case(texts[i], places_parse(texts[i], 6, &p, &err) == 0);
		text = places_text(&p);
		assert_string_equal(text, texts[i]);
		free(text);
		places_clear(&p);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"", "empty"},
		{"6", "node numbers below 6"},
		{"0-6", "numbers below"},
		{"1,0-2", "have node 1 twice"},
		{"a", "numbers below"},
		{"2-1", "numbers below"},
		{"-1", "numbers below"},
		{"0,", "numbers below"},
		{"0-4294967295", "numbers below"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct places p = {0};
		struct err err;

		assert_case(bad[i].text,
			    places_parse(bad[i].text, 6, &p, &err) < 0);
		assert_case(err.text, strstr(err.text, bad[i].why));
		assert_null(p.node);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_round),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
