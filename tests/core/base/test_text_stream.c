/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include "core/base/err.h"
#include "tests/fixtures/unit.h"

#include <stdlib.h>

static void taken(void **state)
{
	struct text_stream s;
	char *text;

	(void)state;
	fprintf(text_stream_open(&s), "%d %s", 7, "words");
	text = text_stream_take(&s);
	assert_string_equal(text, "7 words");
	assert_int_equal(s.size, 7);
	free(text);
	text_stream_open(&s);
	text = text_stream_take(&s);
	assert_string_equal(text, "");
	free(text);
	assert_null(text_stream_take(&(struct text_stream){0}));
}

/* The error of who has failed stays. */
static void ended(void **state)
{
	struct err err = {"theirs"};
	struct text_stream s;
	char *text;

	(void)state;
	fputs("a", text_stream_open(&s));
	text = text_stream_end(&s, 0, &err);
	assert_string_equal(text, "a");
	free(text);
	fputs("a", text_stream_open(&s));
	assert_null(text_stream_end(&s, -1, &err));
	assert_string_equal(err.text, "theirs");
	assert_null(text_stream_end(&(struct text_stream){0}, 0, &err));
	assert_string_not_equal(err.text, "theirs");
}

static void lines(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"", ""},
		{"a", "- a\n"},
		{"a\nb\n", "- a\n  b\n"},
		{"a\n\nb", "- a\n  \n  b\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text_stream s;
		char *text;

		text_lines_put(text_stream_open(&s), cases[i].text, "- ", "  ");
		text = text_stream_take(&s);
		assert_string_equal(text, cases[i].shown);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(ended),
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
