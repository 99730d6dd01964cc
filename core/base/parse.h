/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small tools of parsing: numbers, words, and showing what was found.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Room for a shown value: 60 characters of UTF-8 or as \xNN, quotes, "..." and
 * NUL. */
#define SHOW_SIZE 260

/* How `text` is shown to a person: 'text', with bytes that don't print or
 * aren't UTF-8 as \xNN and cut after 60 characters. Returns `buf`. */
const char *show(char buf[SHOW_SIZE], const char *text);

/* A whole decimal number without sign, blanks or trailing junk, in
 * [min, max]. Returns 0, or -1 with *ret untouched. */
int parse_number(const char *text, long min, long max, long *ret);

/* A time: a whole number of seconds, or one with s, m (minutes) or h (hours)
 * behind it, in [min, max] seconds. Returns 0, or -1 with *ret untouched. */
int parse_seconds(const char *text, long min, long max, long *ret);

/* So many bytes: 0, or a whole number with K, M, G or T (of 1024) behind it. */
int parse_size(const char *text, long min, long max, long *ret);

/* Read one number or range of a list such as "0-3,7", up to `max`. *text is
 * moved after it, and after the comma when another number follows. Returns
 * 0, or -1 when there is no such number or the range runs backwards; nothing
 * else is touched then. */
int parse_range(const char **text, unsigned max, unsigned *ret_first,
		unsigned *ret_last);

/* Whether `text` is made only of letters, digits and the bytes of `more`, and
 * is 1 to max_len bytes long. */
bool is_word(const char *text, const char *more, size_t max_len);

/* Whether the blank- or comma-separated `words` contain `word` of `len`
 * bytes; *ret_index (may be NULL) is its position. */
bool word_find(const char *words, const char *word, size_t len, int *ret_index);

/* The same of words in any case of their letters. */
bool word_find_any_case(const char *words, const char *word, size_t len,
			int *ret_index);

/* Whether the words have this one, which ends with NUL and isn't empty. */
bool is_listed(const char *words, const char *word);

/* What stands behind the last '/' of a path, or all of it. */
const char *base_name(const char *path);

/*
 * Decimal digits in long lists. strtoul() and isdigit() ask the locale about
 * each number, which is most of the cost of a list of 100,000 of them.
 */

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

/* What is said of a word that a table doesn't have. */

/* The n-th word of a table, from 0; NULL after the last. */
typedef const char *word_nth_fn(size_t n);

/* "unknown WHAT 'WORD'; did you mean 'NEAR'? known: ...", where NEAR is the
 * word of the table that is nearest to `word` (to what stands before its "=")
 * by insertions, deletions, substitutions and swaps of neighbours. Nothing is
 * said of it where none is near enough to be what was meant. Returns -1. */
int unknown_word(struct err *err, const char *what, const char *word,
		 word_nth_fn *nth);

/* The same where more words are known than one wants to list. */
int unknown_word_of(struct err *err, const char *what, const char *word,
		    word_nth_fn *nth, word_nth_fn *listed);
