/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/line_writer.h"

#include "tests/fixtures/unit.h"

static void add(struct tail *tail, const char *text)
{
	tail_add(tail, text, strlen(text));
}

static void few(void **state)
{
	char buf[TAIL_SIZE + 2];
	struct tail tail = {.total = 0};

	(void)state;
	assert_string_equal(tail_text(&tail, buf), "");
	add(&tail, "a\nb");
	assert_string_equal(tail_text(&tail, buf), "a\nb\n");
	add(&tail, "c\n");
	assert_string_equal(tail_text(&tail, buf), "a\nbc\n");
	tail_add(&tail, "\0d\n", 3);
	assert_string_equal(tail_text(&tail, buf), "a\nbc\n?d\n");
}

static void many(void **state)
{
	char buf[TAIL_SIZE + 2], line[16];
	struct tail tail = {.total = 0};
	const char *text;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(line, sizeof(line), "line %d\n", i);
		add(&tail, line);
	}
	text = tail_text(&tail, buf);
	assert_memory_equal(text, "line 4980\n", 10);
	assert_int_equal(strlen(text), 10 * TAIL_LINES);
}

/* Lines of 1000 bytes: the oldest has lost its beginning. */
static void long_lines(void **state)
{
	char buf[TAIL_SIZE + 2], *line = repeated('x', 1000);
	struct tail tail = {.total = 0};

	(void)state;
	line[999] = '\n';
	for (int i = 0; i < 9; i++)
		add(&tail, line);
	assert_int_equal(strlen(tail_text(&tail, buf)), 4000);
	free(line);
}

/* No newline in all of it; more at once than there is room for. */
static void one_line(void **state)
{
	char buf[TAIL_SIZE + 2], *line = repeated('x', 10000);
	struct tail tail = {.total = 0};

	(void)state;
	tail_add(&tail, line, TAIL_SIZE);
	assert_int_equal(strlen(tail_text(&tail, buf)), TAIL_SIZE + 1);
	add(&tail, line);
	assert_int_equal(strlen(tail_text(&tail, buf)), TAIL_SIZE + 1);
	add(&tail, "\n");
	assert_int_equal(strlen(tail_text(&tail, buf)), TAIL_SIZE);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few),
		cmocka_unit_test(many),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
