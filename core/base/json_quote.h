/* SPDX-License-Identifier: Apache-2.0 */
/* A text as a string of JSON, whatever its bytes are. */
#ifndef DT_CORE_BASE_JSON_QUOTE_H
#define DT_CORE_BASE_JSON_QUOTE_H

#include <stddef.h>

#define JSON_QUOTE_SIZE(n) (6 * (n) + 3) /* for a text of n bytes */

/* Write it into buf with its quotes: control characters as \u00XX, bytes that
 * are no UTF-8 as '?', and what doesn't fit is left out. `size` is at least 3.
 * Returns buf. */
const char *json_quote(const char *text, char *buf, size_t size);

#endif
