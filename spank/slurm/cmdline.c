/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "spank/slurm/cmdline.h"

#include "core/base/parse.h"
#include "sys/log.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT "--export"

char **srun_words;

#ifdef __GLIBC__
/* glibc tells a library's constructors what main() is told. */
__attribute__((constructor)) static void remember(int argc, char **argv)
{
	srun_words = argc > 0 ? argv : NULL;
}
#endif

bool cmdline_may_have(const char *option)
{
	if (!srun_words)
		return true;
	for (char **w = srun_words; *w; w++)
		if (!strncmp(*w, "--", 2) && (*w)[2] == option[0])
			return true;
	return false;
}

bool cmdline_is_interactive(void)
{
	for (char **w = srun_words; w && *w && w[1] && *w[1] == '-'; w++)
		if (!strcmp(w[1], "--interactive"))
			return true;
	return false;
}

bool cmdline_is_async(void)
{
	for (int i = 1; srun_words && i < optind && srun_words[i]; i++) {
		size_t len = strlen(srun_words[i]);

		/* No other of srun's options begins with --as */
		if (len >= sizeof("--as") - 1 && len < sizeof("--async") &&
		    !strncmp(srun_words[i], "--async", len))
			return true;
	}
	return false;
}

const char *cmdline_only(const char *option)
{
	char *const *w = srun_words ? srun_words + 1 : NULL;
	size_t len = strlen(option);

	if (!w || !w[0] || strncmp(w[0], "--", 2) != 0 ||
	    strncmp(w[0] + 2, option, len) != 0)
		return NULL;
	if (w[0][2 + len] == '=' && !w[1])
		return w[0] + 2 + len + 1;
	return !w[0][2 + len] && w[1] && !w[2] ? w[1] : NULL;
}

static bool is_command(const char *word)
{
	const char *slash = strrchr(word, '/');

	word = slash ? slash + 1 : word;
	return word_find("srun sbatch salloc dist-train", word, strlen(word),
			 0);
}

void cmdline_say_stray(const char *option)
{
	static bool said;
	size_t len = strlen(option);
	char shown[SHOW_SIZE];

	for (char **w = srun_words ? srun_words + 1 : NULL; w && *w; w++) {
		if (is_command(*w) || said)
			return;
		if (strncmp(*w, "--", 2) != 0 ||
		    strncmp(*w + 2, option, len) != 0 ||
		    ((*w)[2 + len] && (*w)[2 + len] != '='))
			continue;
		said = true;
		log_line("%s stands behind the program, so it isn't srun's; "
			 "write it before the program",
			 show(shown, *w));
	}
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

void cmdline_export(char *ret, size_t size)
{
	const char *list = getenv("SLURM_EXPORT_ENV");
	FILE *f = cmdline_open();
	char word[CMDLINE_EXPORT_SIZE];

	snprintf(ret, size, "%s", list ? list : "");
	while (f && cmdline_next(f, word, sizeof(word)))
		if (!strncmp(word, EXPORT "=", sizeof(EXPORT)))
			snprintf(ret, size, "%s", word + sizeof(EXPORT));
		else if (!strcmp(word, EXPORT))
			cmdline_next(f, ret, size);
	if (f)
		fclose(f);
}

bool cmdline_has_task_prolog(void)
{
	const char *program = getenv("SLURM_TASK_PROLOG");

	return (program && *program) || cmdline_has("--task-p");
}

int cmdline_check_multi_prog(struct err *err)
{
	if (HAVE_DECL_SPANK_PREPEND_TASK_ARGV || !cmdline_has("--multi"))
		return 0;
	return err_printf(err, "the launcher doesn't work with --multi-prog "
			       "before Slurm 23.11; use procs=task and "
			       "supervise=no, which need no launcher");
}
