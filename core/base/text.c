/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int text_add(char *buf, size_t size, const char *separator, const char *fmt,
	     ...)
{
	size_t used = strlen(buf);
	va_list ap;
	int n;

	if (used) {
		n = snprintf(buf + used, size - used, "%s", separator);
		if (n < 0 || (size_t)n >= size - used)
			return -1;
		used += (size_t)n;
	}
	va_start(ap, fmt);
	n = vsnprintf(buf + used, size - used, fmt, ap);
	va_end(ap);
	return n < 0 || (size_t)n >= size - used ? -1 : 0;
}

bool text_ends(const char *text, const char *end)
{
	size_t n = strlen(text), e = strlen(end);

	return n >= e && !strcmp(text + n - e, end);
}
