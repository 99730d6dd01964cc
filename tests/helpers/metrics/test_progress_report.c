/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a report. */
#include "helpers/metrics/progress_report.h"

#include "tests/fixtures/unit.h"

/* All that is known, as a row has it. */
static void put(const struct report *r, char *buf, size_t size)
{
	FILE *f = fmemopen(buf, size, "w");

	assert_non_null(f);
	for (int i = 0; i < REPORT_FIGURES; i++)
		report_put_figure(f, r, (enum report_figure)i);
	report_put_others(f, r);
	assert_int_equal(fclose(f), 0);
}

static void read_good(void **state)
{
	static const struct {
		const char *line, *row;
	} table[] = {
		{"37.5", "\t37.5\t\t\t\t\t"},
		{"37.5%", "\t37.5\t\t\t\t\t"},
		{" 0 \r", "\t0\t\t\t\t\t"},
		{"100", "\t100\t\t\t\t\t"},
		{"percent=37.5 remaining=120 step=300 loss=1.2",
		 "\t37.5\t120\t300\t\t1.2\t"},
		{"rate=2.5", "\t\t\t\t2.5\t\t"},
		{"step=12345678901234", "\t\t\t12345678901234\t\t\t"},
		{"busy=75", "\t\t\t\t\t\t75"},
		{"loss=nan", "\t\t\t\t\tnan\t"},
		{"loss=-inf", "\t\t\t\t\t-inf\t"},
		{"40 accuracy=0.9 eval/f1=-3e-5",
		 "\t40\t\t\t\t\t\taccuracy=0.9\teval/f1=-3e-05"},
		{"a=1 a=2 percent=1 percent=2", "\t2\t\t\t\t\t\ta=2"},
		{"a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9 a=10",
		 "\t\t\t\t\t\t\ta=10\tb=2\tc=3\td=4\te=5\tf=6\tg=7\th=8"},
	};
	char row[512];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct report r = {.nothers = 0};
		struct err err;

		assert_case(table[i].line,
			    report_read(table[i].line, &r, &err) == 0);
		put(&r, row, sizeof(row));
		assert_string_equal(row, table[i].row);
	}
}

/* What a line doesn't name stays. */
static void read_over(void **state)
{
	struct report r = {.nothers = 0};
	struct err err;
	char row[256];

	(void)state;
	assert_int_equal(report_read("10 step=3 a=1", &r, &err), 0);
	assert_int_equal(report_read("20 loss=2 b=1", &r, &err), 0);
	put(&r, row, sizeof(row));
	assert_string_equal(row, "\t20\t\t3\t\t2\t\ta=1\tb=1");
}

static void read_bad(void **state)
{
	static const struct {
		const char *line, *why;
	} table[] = {
		{"", "no word"},
		{" \t ", "no word"},
		{"half", "'half' is no percentage and no NAME=NUMBER"},
		{"10 of 20", "'of' is no percentage"},
		{"percent=", "'percent=' is no percentage"},
		{"step=3x", "'step=3x' is no percentage"},
		{"=3", "is no name of a figure"},
		{"a b=3", "'a' is no"},
		{"l\xc3\xb6ss=3", "is no name of a figure"},
		{"a;b=3", "is no name of a figure"},
		{"123456789012345678901234567890123456789012345678=1",
		 "at most 47"},
		{"101", "percent must be a number from 0 to 100"},
		{"-1", "percent must be a number from 0 to 100"},
		{"nan", "percent must be a number from 0 to 100"},
		{"step=-1", "step must be"},
		{"step=inf", "step must be"},
		{"step=1e17", "step must be"},
		{"remaining=nan", "remaining must be"},
		{"rate=-0.5", "rate must be"},
		{"busy=101", "busy must be"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct report r, before;
		struct err err;

		memset(&r, 0, sizeof(r));
		assert_int_equal(report_read("5 x=1", &r, &err), 0);
		before = r;
		assert_case(table[i].line,
			    report_read(table[i].line, &r, &err) == -1);
		assert_case(err.text, strstr(err.text, table[i].why));
		assert_memory_equal(&r, &before, sizeof(r));
	}
}

static void too_long(void **state)
{
	char *line = repeated('1', REPORT_LINE_MAX);
	struct report r = {.nothers = 0};
	struct err err;

	(void)state;
	assert_int_equal(report_read(line, &r, &err), -1);
	assert_non_null(strstr(err.text, "1023 bytes"));
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_good),
		cmocka_unit_test(read_over),
		cmocka_unit_test(read_bad),
		cmocka_unit_test(too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
