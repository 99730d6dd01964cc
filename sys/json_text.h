/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON text read from its beginning to its end, value by value, without a
 * tree: for the launcher, which is linked for containers without any library
 * but libc and libsodium; and for whoever has to say what is wrong with a text,
 * and where. It refuses what the standard (RFC 8259) does: control characters,
 * bytes that are no UTF-8, leading zeros, a comma at the end; and NUL, numbers
 * that no double holds, and more than 64 levels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Where the reader is; begins as {.at = TEXT}. Borrowed. */
struct json_text {
	const char *at;
	unsigned depth;	  /* of objects and arrays that are open */
	unsigned n;	  /* values of the one that was closed last */
	const char *what; /* the fault, at `at`: "a comment; JSON has none" */
};

/* The first character of the next value or what stands in its place, which
 * stays; '\0' at the end. */
char json_text_next(struct json_text *t);

/* Take this character. False: there is another, which is no fault yet. */
bool json_text_take(struct json_text *t, char c);

/* Those below return false where there is a fault. */

/* Take a string into buf, as UTF-8, cut to `size` with its NUL. */
bool json_text_string(struct json_text *t, char *buf, size_t size);

/* Skip a member's key and its colon; a value of any kind. */
bool json_text_key(struct json_text *t);
bool json_text_skip(struct json_text *t);

/* Take the bracket behind the last value of an object or array. */
bool json_text_close(struct json_text *t, char bracket);
