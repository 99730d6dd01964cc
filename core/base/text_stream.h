/* SPDX-License-Identifier: Apache-2.0 */
/* A text that grows as it is printed. */
#ifndef DT_CORE_BASE_TEXT_STREAM_H
#define DT_CORE_BASE_TEXT_STREAM_H

#include "core/base/err.h"

#include <stddef.h>
#include <stdio.h>

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

#endif
