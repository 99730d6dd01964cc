/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/file_pattern.h"

#include "tests/fixtures/unit.h"

static void fields(void **state)
{
	static const struct {
		const char *text;
		char letter;
		int width;
		size_t length;
	} cases[] = {
		{"%j", 'j', 0, 2},	  {"%5r.out", 'r', 5, 3},
		{"%05r", 'r', 5, 4},	  {"%10n", 'n', 10, 4},
		{"%999999n", 'n', 10, 8}, {"%%j", '%', 0, 2},
		{"%", '\0', 0, 1},	  {"%12", '\0', 10, 3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct file_pattern_field f;
		const char *text = cases[i].text;
		const char *behind = file_pattern_field(text, &f);

		assert_case(text, behind == text + cases[i].length &&
					  f.letter == cases[i].letter &&
					  f.width == cases[i].width);
	}
}

static void taken(void **state)
{
	static const char *const of_node[] = {"",	"a",  "/x/%j.%s",
					      "%n-%5N", "%%", "100%%"};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(of_node); i++) {
		assert_case(of_node[i],
			    file_pattern_check("k", FILE_PATTERN_OF_NODE,
					       of_node[i], &err) == 0);
		assert_case(of_node[i],
			    file_pattern_check("k", FILE_PATTERN_OF_RANK,
					       of_node[i], &err) == 0);
	}
	assert_int_equal(
		file_pattern_check("k", FILE_PATTERN_OF_RANK, "%04r/%t", &err),
		0);
}

static void refused(void **state)
{
	static const struct {
		const char *letters, *pattern, *why;
	} cases[] = {
		{FILE_PATTERN_OF_RANK, "a%z", "k='a%z': unknown '%z'; known: "},
		{FILE_PATTERN_OF_RANK, "%j%", "unknown '%'"},
		{FILE_PATTERN_OF_RANK, "%3", "unknown '%'"},
		{FILE_PATTERN_OF_RANK, "%J", "%r rank, %%"},
		{FILE_PATTERN_OF_RANK, "%\xc3\xa4", "unknown '%\\xc3'"},
		{FILE_PATTERN_OF_NODE, "%z", "%N its name, %%"},
		{FILE_PATTERN_OF_NODE, "%j-%r",
		 "all ranks of a node, so %r isn't"},
		{FILE_PATTERN_OF_NODE, "%3t",
		 "all ranks of a node, so %t isn't"},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_case(cases[i].pattern,
			    file_pattern_check("k", cases[i].letters,
					       cases[i].pattern, &err) < 0);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s' isn't in '%s'", cases[i].why, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(taken),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
