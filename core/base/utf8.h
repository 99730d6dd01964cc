/* SPDX-License-Identifier: Apache-2.0 */
/* Texts whose bytes may be anything, read as UTF-8. */
#ifndef DT_CORE_BASE_UTF8_H
#define DT_CORE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
