/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "spank/slurm/cmdline.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The value if `word` is the option, maybe abbreviated; "" if it is the next
 * word; NULL if it is another. */
static const char *option_value(const char *word, const char *option)
{
	size_t len = strcspn(word, "=");

	if (len < 3 || strncmp(word, "--", 2) != 0 ||
	    strncmp(word + 2, option, len - 2) != 0)
		return NULL;
	return word[len] ? word + len + 1 : "";
}

/* Visit each option text on the command line. It isn't known here where the
 * program's own arguments begin, so these are visited too. Returns whether
 * there was one. */
static bool foresee_cmdline(const struct config *config,
			    void (*each)(void *arg, const char *text),
			    void *arg)
{
	bool found = false;

	if (!cmdline_may_have(config->option))
		return false;
	for (char **w = cmdline_words(); *w && strcmp(*w, "--") != 0; w++) {
		const char *value = option_value(*w, config->option);

		if (!value)
			continue;
		if (!*value && !*++w)
			break;
		each(arg, *value ? value : *w);
		found = true;
	}
	return found;
}

void prescan_option(const struct config *config,
		    void (*each)(void *arg, const char *text), void *arg)
{
	const char *text;

	if (foresee_cmdline(config, each, arg))
		return;
	text = job_option_text(config);
	if (text)
		each(arg, text);
}

void prescan_words(void (*each)(void *arg, const char *word), void *arg)
{
	for (char **w = cmdline_words(); *w && strcmp(*w, "--") != 0; w++)
		each(arg, *w);
}

/* --- the script --- */

/* NULL: the word isn't the name of a script. */
static FILE *open_if_script(const char *word)
{
	int fd = open(word, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char begin[2];

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    pread(fd, begin, 2, 0) == 2 && !memcmp(begin, "#!", 2))
		return fdopen(fd, "r");
	close(fd);
	return NULL;
}

/* The first argument that is one: which of them it is only sbatch knows. */
static FILE *open_script(void)
{
	FILE *script = NULL;

	for (char **w = cmdline_words(); !script && *w && w[1]; w++)
		script = *w[1] == '-' ? NULL : open_if_script(w[1]);
	return script;
}

void prescan_script(void (*each)(void *arg, const char *word), void *arg)
{
	FILE *f = open_script();
	char line[4096], *rest, *word;

	/* No script is that long; a file of data may be */
	for (unsigned n = 0; f && n < 10000 && fgets(line, sizeof(line), f);
	     n++) {
		if (strncmp(line, "#SBATCH", 7) != 0)
			continue;
		word = strtok_r(line + 7, " \t\r\n\"'", &rest);
		for (; word; word = strtok_r(NULL, " \t\r\n\"'", &rest))
			each(arg, word);
	}
	if (f)
		fclose(f);
}

struct script_option {
	const char *option;
	bool value_is_next;
	void (*each)(void *arg, const char *text);
	void *arg;
};

static void look_for_option(void *arg, const char *word)
{
	struct script_option *s = arg;
	const char *value =
		s->value_is_next ? word : option_value(word, s->option);

	s->value_is_next = value && !*value;
	if (value && *value)
		s->each(s->arg, value);
}

void prescan_script_option(const struct config *config,
			   void (*each)(void *arg, const char *text), void *arg)
{
	struct script_option s = {config->option, false, each, arg};

	prescan_script(look_for_option, &s);
}

void prescan_step(struct srun_hint *ret)
{
	struct srun_hint guess = {0};
	const char *name;

	for (char **w = cmdline_words(); *w && strcmp(*w, "--") != 0; w++)
		srun_hint_word(&guess, w[0], w[1]);
	for (unsigned i = 0; (name = srun_hint_variable_nth(i)); i++)
		srun_hint_variable(&guess, name, getenv(name));
	*ret = guess;
}
