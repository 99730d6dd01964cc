/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small tools of parsing: numbers, words, and showing what was found.
 */
#ifndef DT_CORE_BASE_PARSE_H
#define DT_CORE_BASE_PARSE_H

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

#endif
