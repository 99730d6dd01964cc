/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include "tests/fixtures/unit.h"

static long at(const void *numbers, size_t i)
{
	return ((const long *)numbers)[i];
}

static void ranges(void **state)
{
	static const struct {
		long number[8];
		size_t n, size;
		const char *text;
	} table[] = {
		{{0}, 0, 4, ""},
		{{7}, 1, 2, "7"},
		{{0, 1, 2, 7}, 4, 16, "0-2,7"},
		{{0, 2, 3}, 3, 16, "0,2-3"},
		{{4, 4, 5, 5, 5}, 5, 16, "4-5"},
		{{-2, -1, 9}, 3, 16, "-2--1,9"},
		/* the last one fits, or is left out as a whole */
		{{10, 20, 30}, 3, 9, "10,20,30"},
		{{10, 20, 30}, 3, 8, "10,..."},
		{{10, 20, 30, 40, 50}, 5, 10, "10,20,..."},
		{{100, 200}, 2, 7, "..."},
		{{100, 200}, 2, 3, ".."},
		{{1}, 1, 1, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char buf[17];
		int rc;

		memset(buf, UNTOUCHED, sizeof(buf));
		rc = ranges_text(buf, table[i].size, table[i].n, at,
				 table[i].number);
		assert_string_equal(buf, table[i].text);
		assert_case(buf,
			    rc == (strchr(buf, '.') || (table[i].n && !*buf)
					   ? -1
					   : 0));
		assert_case(buf,
			    (unsigned char)buf[table[i].size] == UNTOUCHED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
