/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test needs: cmocka in the order that it wants. */
#ifndef DT_TESTS_UNIT_H
#define DT_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What an output holds before a call that must not touch it. */
#define UNTOUCHED 0xa5

/* `n` bytes of `c` as a text; freed by the caller. */
static inline char *repeated(char c, size_t n)
{
	char *text = malloc(n + 1);

	assert_non_null(text);
	memset(text, c, n);
	text[n] = '\0';
	return text;
}

/* Fail with the case's name: a table's row shows itself. */
#define assert_case(what, condition)                                           \
	do {                                                                   \
		if (!(condition))                                              \
			fail_msg("%s: not %s", what, #condition);              \
	} while (0)

#endif
