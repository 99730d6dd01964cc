/* SPDX-License-Identifier: Apache-2.0 */
/* The order of nodes that srun hands over. */
#include "core/facts/places.h"

#include "tests/fixtures/unit.h"

static void there_and_back(void **state)
{
	static const char *const texts[] = {"0", "0-5", "0-2;5,4;3",
					    "0;1;2;3;4;5", "0,2,4;1,3,5"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		unsigned *domain, n = i ? 6 : 1;
		struct places p;
		struct err err;
		char *text;

		assert_case(texts[i], node_order_parse(texts[i], n, &p, &domain,
						       &err) == 0);
		text = node_order_text(p.node, domain, n);
		assert_string_equal(text, texts[i]);
		free(text);
		free(domain);
		places_clear(&p);
	}
}

static void domains(void **state)
{
	static const unsigned expected[] = {0, 0, 0, 2, 1, 1};
	unsigned *domain;
	struct places p;
	struct err err;

	(void)state;
	assert_int_equal(node_order_parse("0-2;5,4;3", 6, &p, &domain, &err),
			 0);
	assert_memory_equal(domain, expected, sizeof(expected));
	assert_int_equal(places_of(&p, 4), 4);
	free(domain);
	places_clear(&p);
}

static void refused(void **state)
{
	static const char *const bad[] = {
		"",    ";",	 "0-2",	     "0-4;", ";0-3",  "0-2;2-3",
		"0-4", "0;;1-3", "0-1,;2-3", "a",    "0-3;-", "0-3 "};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		unsigned *domain = NULL;
		struct places p = {0};
		struct err err;

		assert_case(bad[i],
			    node_order_parse(bad[i], 4, &p, &domain, &err) < 0);
		assert_null(p.node);
		assert_null(domain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(domains),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
