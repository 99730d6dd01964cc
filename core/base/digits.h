/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal digits in long lists. strtoul() and isdigit() ask the locale about
 * each number, which is most of the cost of a list of 100,000 of them.
 */
#ifndef DT_CORE_BASE_DIGITS_H
#define DT_CORE_BASE_DIGITS_H

#include <stdbool.h>

#define DIGITS_SIZE 24 /* of the longest number, with its NUL */

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Read the number at *text and move behind its last digit. Returns 0; or -1
 * where there is none, or one above `max` (at most ULONG_MAX / 10 - 1): then
 * nothing is touched. */
static inline int digits_read(const char **text, unsigned long max,
			      unsigned long *ret)
{
	const char *at = *text;
	unsigned long n = 0;

	if (!is_digit(*at))
		return -1;
	for (; is_digit(*at); at++) {
		n = n * 10 + (unsigned long)(*at - '0');
		if (n > max)
			return -1;
	}
	*text = at;
	*ret = n;
	return 0;
}

/* The number as text, somewhere in `buf`. */
static inline const char *digits_text(unsigned long n, char buf[DIGITS_SIZE])
{
	char *at = buf + DIGITS_SIZE - 1;

	*at = '\0';
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	return at;
}

#endif
