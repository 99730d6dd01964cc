/* SPDX-License-Identifier: Apache-2.0 */
/* A text in a buffer, made of parts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Add a part (printf-like) after the text in `buf`, which has `size` bytes,
 * and `separator` before it unless the text is empty. Returns 0, or -1 when
 * the part doesn't fit: what fits of it is there then, with a NUL. */
int text_add(char *buf, size_t size, const char *separator, const char *fmt,
	     ...) __attribute__((format(printf, 4, 5)));

bool text_ends(const char *text, const char *end);

/* In lines of "KEY   = VALUE", as `scontrol show config` prints: the value of a
 * key, cut at a blank, and whether it is there; else ret stays. */
bool text_setting(const char *text, const char *key, char *ret, size_t size);

/* A time for a sentence: "0.25 s", "12.3 s", "3 min 20 s", "48 h 2 min".
 * A negative one is seconds. Returns buf. */
const char *time_text(double ms, char buf[32]);

/* Texts of others, before a terminal shows them. */

/* Make '?' of each byte of `text` that is no UTF-8, or is of a character that
 * doesn't print (utf8_prints()), but for those of `kept`, as "\t\n". */
void plain_text(char *text, const char *kept);

/* Texts whose bytes may be anything, read as UTF-8. */

/* How many bytes the character at the begin of `text` has, 1 to 4, of which
 * `size` bytes may be read at most (a text that ends with NUL: SIZE_MAX). 0
 * where the bytes are no UTF-8 (RFC 3629), or at NUL. */
size_t utf8_char(const char *text, size_t size);

/* Whether that character, of n bytes, is text and no control character:
 * ASCII's, and those from U+0080 to U+009F, which are commands for some
 * terminals. */
bool utf8_prints(const char *text, size_t n);

/* How many bytes the character at the begin of `text` has if a message may show
 * it as it is; 0: it doesn't print, or it has no width, or turns the text that
 * follows it around. */
size_t utf8_visible(const char *text);

/* A text as a string of JSON, whatever its bytes are. */

#define JSON_QUOTE_SIZE(n) (6 * (n) + 3) /* for a text of n bytes */

/* Write it into buf with its quotes: control characters as \u00XX, bytes that
 * are no UTF-8 as '?', and what doesn't fit is left out. `size` is at least 3.
 * Returns buf. */
const char *json_quote(const char *text, char *buf, size_t size);

/* Numbers in rising order, such as a group's ranks, as a text: "0-4,6". */

/* Write the `n` numbers that `number` tells; one may come more than once.
 * Returns 0, or -1 when they don't fit: the text ends with "..." then, after a
 * whole number. */
int ranges_text(char *buf, size_t size, size_t n,
		long (*number)(const void *arg, size_t i), const void *arg);

/* A text that grows as it is printed (text_stream.c). */

struct err;

struct text_stream {
	FILE *f;
	char *text;
	size_t size;
};

/* Begin an empty one. Returns where it is printed, until text_stream_take();
 * NULL when out of memory. */
FILE *text_stream_open(struct text_stream *stream);

/* End it; its text is the caller's to free. NULL when it couldn't be opened, or
 * there was no memory for all of it. */
char *text_stream_take(struct text_stream *stream);

/* The same for those who can fail. NULL where `rc`, what its writers have
 * returned, is below 0: the error is theirs; or when out of memory. */
char *text_stream_end(struct text_stream *stream, int rc, struct err *err);

/* Print each line of a text, behind `before` the first and behind `after` the
 * others. */
void text_lines_put(FILE *f, const char *text, const char *before,
		    const char *after);
