/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/rows.h"

#include "tests/fixtures/unit.h"

/* One row with one field, as the other side reads it. */
static void becomes(const char *text, const char *expected)
{
	char *written, *at, *field[ROW_FIELDS];
	size_t size;
	FILE *f = open_memstream(&written, &size);

	row_begin(f, "rank");
	row_text(f, text);
	row_number(f, -7);
	row_end(f);
	assert_int_equal(fclose(f), 0);
	at = written;
	assert_int_equal(row_next(&at, field), 3);
	assert_string_equal(field[0], "rank");
	assert_string_equal(field[1], expected);
	assert_string_equal(field[2], "-7");
	assert_string_equal(field[3], "");
	assert_string_equal(field[ROW_FIELDS - 1], "");
	assert_int_equal(row_next(&at, field), 0);
	free(written);
}

/* A program calls itself what it likes: no name makes a field or a row, or
 * commands for a terminal. */
static void names(void **state)
{
	(void)state;
	becomes("python3", "python3");
	becomes("", "");
	becomes("a\tb\nc\rd\033[2Je\177", "a?b?c?d?[2Je?");
	becomes("n\xc3\xa4m\xe4\xb8\xad\xf0\x9f\x98\x80",
		"n\xc3\xa4m\xe4\xb8\xad\xf0\x9f\x98\x80");
	becomes("\xc2\x9b"
		"31m",
		"?31m");		 /* U+009B, CSI */
	becomes("\xc2\xa0", "\xc2\xa0"); /* the first that prints */
	becomes("\x9b\xff\xc3", "???");	 /* no UTF-8 */
	becomes("\xc3\tx", "??x");	 /* cut in a character */
	becomes("\xed\xa0\x80", "???");	 /* half a pair of UTF-16 */
}

static void parts(void **state)
{
	char text[] = "\na\n\tb\t\nlast";
	char *at = text, *field[ROW_FIELDS];

	(void)state;
	assert_int_equal(row_next(&at, field), 1);
	assert_string_equal(field[0], "");
	assert_int_equal(row_next(&at, field), 1);
	assert_string_equal(field[0], "a");
	assert_int_equal(row_next(&at, field), 3);
	assert_string_equal(field[0], "");
	assert_string_equal(field[1], "b");
	assert_string_equal(field[2], "");
	assert_int_equal(row_next(&at, field), 1);
	assert_string_equal(field[0], "last");
	assert_int_equal(row_next(&at, field), 0);
	assert_int_equal(row_next(&at, field), 0);
}

/* What comes after the last field that there is room for is left out. */
static void too_many(void **state)
{
	char text[2 * ROW_FIELDS + 8] = "", *at = text, *field[ROW_FIELDS];

	(void)state;
	for (unsigned i = 0; i < ROW_FIELDS + 1; i++)
		strcat(text, "x\t");
	strcat(text, "\ny");
	assert_int_equal(row_next(&at, field), ROW_FIELDS);
	assert_string_equal(field[ROW_FIELDS - 1], "x");
	assert_int_equal(row_next(&at, field), 1);
	assert_string_equal(field[0], "y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(parts),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
