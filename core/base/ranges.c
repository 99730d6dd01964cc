/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <stdio.h>
#include <string.h>

#define CUT ",..."

int ranges_text(char *buf, size_t size, size_t n,
		long (*number)(const void *arg, size_t i), const void *arg)
{
	size_t whole = 0; /* so much of it leaves room for CUT */

	*buf = '\0';
	for (size_t i = 0; i < n;) {
		long from = number(arg, i), to = from;

		while (++i < n && number(arg, i) <= to + 1)
			to = number(arg, i);
		if (text_add(buf, size, ",", to > from ? "%ld-%ld" : "%ld",
			     from, to) < 0) {
			snprintf(buf + whole, size - whole, "%s",
				 &CUT[whole ? 0 : 1]);
			return -1;
		}
		if (strlen(buf) + sizeof(CUT) <= size)
			whole = strlen(buf);
	}
	return 0;
}
