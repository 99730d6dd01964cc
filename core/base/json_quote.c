/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *json_quote(const char *text, char *buf, size_t size)
{
	size_t at = 0, n;

	buf[at++] = '"';
	for (; *text; text += n ? n : 1) {
		unsigned char c = (unsigned char)*text;
		char one[8] = "?";

		n = utf8_char(text, SIZE_MAX);
		if (c == '"' || c == '\\' || c < 0x20 || c == 0x7f)
			snprintf(one, sizeof(one), "\\u%04x", c);
		else if (n)
			snprintf(one, sizeof(one), "%.*s", (int)n, text);
		if (at + strlen(one) + 2 > size)
			break;
		memcpy(buf + at, one, strlen(one));
		at += strlen(one);
	}
	memcpy(buf + at, "\"", 2);
	return buf;
}
