/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <stdint.h>
#include <string.h>

size_t utf8_char(const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (!size || *p < 0x80)
		return size && *p;
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
	/* No long forms, no surrogates, nothing above U+10FFFF */
	if (*p == 0xe0)
		low = 0xa0;
	if (*p == 0xed)
		high = 0x9f;
	if (*p == 0xf0)
		low = 0x90;
	if (*p == 0xf4)
		high = 0x8f;
	for (size_t i = 1; i < n; i++) {
		if (i >= size || p[i] < low || p[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return n;
}

bool utf8_prints(const char *text, size_t n)
{
	unsigned char c = (unsigned char)*text;

	if (n == 1)
		return c >= ' ' && c != 0x7f;
	return n > 2 || c != 0xc2 || (unsigned char)text[1] >= 0xa0;
}

/* U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF. */
static bool is_invisible(const char *text)
{
	unsigned char last = (unsigned char)text[2];

	if (!strncmp(text, "\xe2\x80", 2))
		return (last >= 0x8b && last <= 0x8f) ||
		       (last >= 0xa8 && last <= 0xae);
	if (!strncmp(text, "\xe2\x81", 2))
		return last >= 0xa0 && last <= 0xaf;
	return !strncmp(text, "\xef\xbb\xbf", 3);
}

size_t utf8_visible(const char *text)
{
	size_t n = utf8_char(text, SIZE_MAX);

	if (!n || !utf8_prints(text, n) || (n == 3 && is_invisible(text)))
		return 0;
	return n;
}
