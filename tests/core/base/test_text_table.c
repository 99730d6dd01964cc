/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text_table.h"

#include "tests/fixtures/unit.h"

static void assert_prints(const struct text_table *t, const char *expected)
{
	char *text = NULL;
	size_t size;
	struct err err;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(text_table_print(f, t, &err), 0);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void add_row(struct text_table *t, int rank, const char *node,
		    const char *more)
{
	text_table_add(t, "%d", rank);
	text_table_add(t, "%s", node);
	text_table_add(t, "%s", more);
}

static void columns(void **state)
{
	cleanup_table struct text_table t = {0};

	(void)state;
	text_table_column(&t, COLUMN_RIGHT, "rank");
	text_table_column(&t, COLUMN_LEFT, "node");
	text_table_column(&t, COLUMN_LEFT, "role");
	assert_prints(&t, "rank  node  role\n");
	add_row(&t, 0, "n1", "worker");
	add_row(&t, 12345, "node12", "ps");
	assert_int_equal(text_table_rows(&t), 3);
	assert_string_equal(text_table_at(&t, 2, 1), "node12");
	assert_prints(&t, " rank  node    role\n"
			  "    0  n1      worker\n"
			  "12345  node12  ps\n");
	t.column[2] = COLUMN_HIDDEN;
	t.indent = "  ";
	assert_prints(&t, "   rank  node\n"
			  "      0  n1\n"
			  "  12345  node12\n");
	t.column[0] = COLUMN_HIDDEN;
	assert_prints(&t, "  node\n  n1\n  node12\n");
}

/* A last column to the right, and colours, which take no room. */
static void colours(void **state)
{
	cleanup_table struct text_table t = {0};

	(void)state;
	text_table_column(&t, COLUMN_LEFT, "");
	text_table_column(&t, COLUMN_RIGHT, "n");
	text_table_add(&t, "\033[32mok\033[0m");
	text_table_add(&t, "7");
	text_table_add(&t, "fail");
	text_table_add(&t, "12");
	assert_prints(&t, "       n\n"
			  "\033[32mok\033[0m     7\n"
			  "fail  12\n");
}

/* Columns that have no room are left out; a narrower one behind them isn't. */
static void fit(void **state)
{
	static const struct {
		int columns;
		const char *text;
	} cases[] = {
		{16, "rank  name     n\n   0  a-node  77\n"},
		{15, "rank  name\n   0  a-node\n"},
		{11, "rank   n\n   0  77\n"},
		{7, "rank\n   0\n"},
		{3, " n\n77\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		cleanup_table struct text_table t = {0};

		text_table_column(&t, COLUMN_RIGHT, "rank");
		text_table_column(&t, COLUMN_LEFT, "name");
		text_table_column(&t, COLUMN_RIGHT, "n");
		text_table_add(&t, "0");
		text_table_add(&t, "a-node");
		text_table_add(&t, "77");
		text_table_fit(&t, cases[i].columns);
		assert_prints(&t, cases[i].text);
	}
}

/* Many rows; a row that isn't whole isn't printed. */
static void many(void **state)
{
	cleanup_table struct text_table t = {0};

	(void)state;
	text_table_column(&t, COLUMN_LEFT, "a");
	text_table_column(&t, COLUMN_LEFT, "b");
	for (int i = 0; i < 1001; i++)
		text_table_add(&t, "%d", i);
	assert_int_equal(text_table_rows(&t), 501);
	assert_string_equal(text_table_at(&t, 500, 1), "999");
}

/* What there was no memory for is an error, not a shorter table. */
static void failed(void **state)
{
	cleanup_table struct text_table t = {.failed = true};
	struct err err;

	(void)state;
	text_table_column(&t, COLUMN_LEFT, "a");
	assert_int_equal(text_table_print(stdout, &t, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns), cmocka_unit_test(colours),
		cmocka_unit_test(fit),	   cmocka_unit_test(many),
		cmocka_unit_test(failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
