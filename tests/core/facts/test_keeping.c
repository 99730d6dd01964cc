/* SPDX-License-Identifier: Apache-2.0 */
/* What a launcher tells the keepers of its node's tasks. */
#include "core/facts/keeping.h"

#include "tests/fixtures/unit.h"

static const struct keeping told = {
	.launcher = 4711,
	.table = "/tmp/dist-train-1.0.0-x/rank_table.json",
	.npus = {.own = {1, {5}}, .step = {3, {0, 1, 2}}, .at = {1, {2}}},
};

static void is_read_again(void **state)
{
	char text[KEEPING_SIZE];
	struct keeping k;
	struct err err;

	(void)state;
	assert_int_equal(keeping_format(&told, text), 0);
	assert_int_equal(keeping_parse(text, &k, &err), 0);
	assert_int_equal(k.launcher, told.launcher);
	assert_string_equal(k.table, told.table);
	assert_string_equal(k.error_file, "");
	assert_int_equal(k.npus.own.n, 1);
	assert_int_equal(k.npus.own.id[0], 5);
	assert_int_equal(k.npus.step.n, 3);
	assert_int_equal(k.npus.at.id[0], 2);
}

static void paths_are_lines(void **state)
{
	struct keeping k = {.launcher = 1, .table = "/tmp/a\nb"};
	char text[KEEPING_SIZE];

	(void)state;
	assert_int_equal(keeping_format(&k, text), -1);
}

static void nonsense(void **state)
{
	static const char *const texts[] = {
		"",
		"1\n",
		"x\n\n\n\n\n\n",
		"0\n\n\n\n\n\n",
		"-1\n\n\n\n\n\n",
		"1\n\n\n\n\n\nmore",
		"1\n\n\n\n\n",
		"1\n\n\nx\n\n\n",
		"1\n\n\n5\n0-2\n3\n",
		"1\n\n\n5\n0-2\n\n",
	};
	static char longest[KEEPING_SIZE];
	struct keeping k;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (keeping_parse(texts[i], &k, &err) == 0)
			fail_msg("%s", texts[i]);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[0] = '1';
	longest[1] = '\n';
	strcpy(longest + KEEPING_PATH + 2, "\n\n\n\n\n");
	assert_int_equal(keeping_parse(longest, &k, &err), -1);
	longest[KEEPING_PATH + 1] = '\n';
	strcpy(longest + KEEPING_PATH + 2, "\n\n\n\n");
	assert_int_equal(keeping_parse(longest, &k, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_read_again),
		cmocka_unit_test(paths_are_lines),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
