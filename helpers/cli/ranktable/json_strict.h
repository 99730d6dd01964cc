/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a text is JSON to a strict reader (sys/json_text.h). cJSON lets pass
 * what the collective library's reader refuses: control characters, broken
 * UTF-8, leading zeros and so on; and it doesn't say where a fault is.
 */
#pragma once

#include <stddef.h>

struct json_fault {
	size_t line, column; /* from 1; columns are bytes */
	const char *what;    /* "a comment; JSON has none" */
};

/* An array with elements among the members of an object. */
struct json_list {
	size_t begin, end; /* between its brackets */
	unsigned n;	   /* elements; 0: there is no such array */
	unsigned member;   /* which member it is, from 0 */
};

/* Read the first value of `text`, which has a NUL behind its `len` bytes; what
 * follows the value isn't looked at. Returns 0 with where the value ends and,
 * of an object, its longest array; or -1 and the first fault. */
int json_strict(const char *text, size_t len, size_t *ret_end,
		struct json_list *ret_longest, struct json_fault *ret_fault);
