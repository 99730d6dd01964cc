/* SPDX-License-Identifier: Apache-2.0 */
/* A text in a buffer, made of parts. */
#ifndef DT_CORE_BASE_TEXT_H
#define DT_CORE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Add a part (printf-like) after the text in `buf`, which has `size` bytes,
 * and `separator` before it unless the text is empty. Returns 0, or -1 when
 * the part doesn't fit: what fits of it is there then, with a NUL. */
int text_add(char *buf, size_t size, const char *separator, const char *fmt,
	     ...) __attribute__((format(printf, 4, 5)));

bool text_ends(const char *text, const char *end);

#endif
