/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <stdint.h>
#include <string.h>

void plain_text(char *text, const char *kept)
{
	while (*text) {
		size_t n = utf8_char(text, SIZE_MAX);
		size_t bytes = n ? n : 1;

		if ((!n || !utf8_prints(text, n)) && !strchr(kept, *text))
			memset(text, '?', bytes);
		text += bytes;
	}
}
