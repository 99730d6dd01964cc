/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun_prescan.h"

#include "spank/srun/cmdline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION "SLURM_SPANK__SLURM_SPANK_OPTION_dist_train_"

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
	FILE *f = cmdline_may_have(config->option) ? cmdline_open() : NULL;
	bool found = false;
	char word[512];

	while (f && cmdline_next(f, word, sizeof(word)) &&
	       strcmp(word, "--") != 0) {
		const char *value = option_value(word, config->option);

		if (!value)
			continue;
		if (!*value && !cmdline_next(f, word, sizeof(word)))
			break;
		each(arg, *value ? value : word);
		found = true;
	}
	if (f)
		fclose(f);
	return found;
}

/* The option as sbatch or salloc passes it on in a variable
 * (src/common/plugstack.c). */
static const char *handed_on(const struct config *config)
{
	char name[sizeof(OPTION) + 64];

	snprintf(name, sizeof(name), OPTION "%s", config->option);
	for (char *p = name + strlen(OPTION); *p; p++)
		if (strchr("-.", *p))
			*p = '_';
	return getenv(name);
}

void prescan_option(const struct config *config,
		    void (*each)(void *arg, const char *text), void *arg)
{
	const char *text;

	if (foresee_cmdline(config, each, arg))
		return;
	text = handed_on(config);
	if (text)
		each(arg, text);
}

static void foresee_words(struct srun_hint *guess)
{
	char word[512], next[512];
	FILE *f = cmdline_open();
	bool more = f && cmdline_next(f, word, sizeof(word));

	while (more && strcmp(word, "--") != 0) {
		more = cmdline_next(f, next, sizeof(next));
		srun_hint_word(guess, word, more ? next : NULL);
		strcpy(word, next);
	}
	if (f)
		fclose(f);
}

void prescan_step(struct srun_hint *ret)
{
	struct srun_hint guess = {0};
	const char *name;

	foresee_words(&guess);
	for (unsigned i = 0; (name = srun_hint_variable_nth(i)); i++)
		srun_hint_variable(&guess, name, getenv(name));
	*ret = guess;
}
