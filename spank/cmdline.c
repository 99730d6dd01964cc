/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/cmdline.h"

FILE *cmdline_open(void)
{
	return fopen("/proc/self/cmdline", "re");
}

bool cmdline_next(FILE *f, char *ret, size_t size)
{
	size_t n = 0;
	int c;

	while ((c = getc(f)) != EOF && c != '\0')
		if (n + 1 < size)
			ret[n++] = (char)c;
	ret[n] = '\0';
	return c != EOF || n > 0;
}
