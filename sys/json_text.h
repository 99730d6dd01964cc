/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON text read from its beginning to its end, value by value, without a
 * tree: for the launcher, which is linked for containers without any library
 * but libc and libsodium.
 */
#ifndef DT_SYS_JSON_TEXT_H
#define DT_SYS_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Where the reader is; begins as {.at = TEXT}. Borrowed. */
struct json_text {
	const char *at;
	unsigned depth; /* of objects and arrays that are open */
};

/* The first character of the next value or what stands in its place, which
 * stays; '\0' at the end. */
char json_text_next(struct json_text *t);

/* Take this character. False: there is another. */
bool json_text_take(struct json_text *t, char c);

/* Take a string into buf, as UTF-8, cut to `size` with its NUL. False: none is
 * there, or it is wrong. */
bool json_text_string(struct json_text *t, char *buf, size_t size);

/* Take a value of any kind. False: it is wrong, or too deep. */
bool json_text_skip(struct json_text *t);

#endif
