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

bool cmdline_is_interactive(void)
{
	for (char **w = words; w && *w && w[1] && *w[1] == '-'; w++)
		if (!strcmp(w[1], "--interactive"))
			return true;
	return false;
}

const char *cmdline_only(const char *option)
{
	char *const *w = words && words[0] ? words + 1 : NULL;
	size_t len = strlen(option);

	if (!w || !w[0] || strncmp(w[0], "--", 2) != 0 ||
	    strncmp(w[0] + 2, option, len) != 0)
		return NULL;
	if (w[0][2 + len] == '=' && !w[1])
		return w[0] + 2 + len + 1;
	return !w[0][2 + len] && w[1] && !w[2] ? w[1] : NULL;
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

bool cmdline_has(const char *text)
{
	FILE *f = cmdline_open();
	bool found = false;
	char word[64];

	while (f && !found && cmdline_next(f, word, sizeof(word)))
		found = !strncmp(word, text, strlen(text));
	if (f)
		fclose(f);
	return found;
}

bool cmdline_may_be_het(void)
{
	return cmdline_has("--het-g") || cmdline_has(":");
}
