/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/cmdline.h"

#include <string.h>

static char **words;

#ifdef __GLIBC__
/* glibc tells a library's constructors what main() is told. */
__attribute__((constructor)) static void remember(int argc, char **argv)
{
	words = argc > 0 ? argv : NULL;
}
#endif

bool cmdline_may_have(const char *option)
{
	if (!words)
		return true;
	for (char **w = words; *w; w++)
		if (!strncmp(*w, "--", 2) && (*w)[2] == option[0])
			return true;
	return false;
}

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
