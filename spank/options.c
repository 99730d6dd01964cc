/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/options.h"

#include "core/base/parse.h"
#include "core/option/option.h"
#include "registry/registry.h"
#include "spank/slurm/cmdline.h"
#include "spank/srun/srun.h"
#include "sys/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The option's text. It is static because SPANK's callback takes no argument of
 * ours. */
static char *given;
static bool inherited, off; /* `off`: the text is one of the words for none */
static bool fresh;	    /* it was given since options_of_component() */
static const struct config *site;

const char *options_text(void)
{
	return off ? NULL : given;
}

bool options_given(void)
{
	return given;
}

bool options_inherited(void)
{
	return inherited;
}

const char *options_of_component(void)
{
	const char *text = fresh && !inherited ? given : NULL;

	fresh = false;
	return text;
}

int options_replace(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -1;
	free(given);
	given = copy;
	off = value_is_off(copy);
	return 0;
}

void options_clear(void)
{
	free(given);
	given = NULL;
}

static void show_help(const char *text)
{
	if (help_asked(stdout, text, site->allow))
		exit(EXIT_SUCCESS);
}

/* SPANK calls this for each source of the option. Keep the text only: a later
 * source may replace it, so it is parsed when all have been read. */
static int take_option(int val, const char *text, int remote)
{
	(void)val;
	if (options_replace(text ? text : "") < 0)
		return -1;
	fresh = true;
	/* From a variable Slurm passes getenv()'s own text; the command line,
	 * where the same text may be, comes after it. */
	inherited = text && !remote && text == job_option_text(site);
	/* As --mpi=list: nothing is queued, not even a program is needed */
	if (!remote && !inherited)
		show_help(given);
	return 0;
}

static const char *only_ours(size_t n)
{
	return n ? NULL : site->option;
}

/* One of the first words may be nearly our option; Slurm is about to refuse it,
 * or to take it for another one's letter and value. */
static void say_misspelled(void)
{
	char shown[SHOW_SIZE], name[32];
	char **w = srun_words ? srun_words + 1 : NULL;
	struct err err;

	for (; w && *w && **w == '-'; w++) {
		const char *text = *w + strspn(*w, "-");
		int len = (int)strcspn(text, "=");

		snprintf(name, sizeof(name), "%.*s", len, text);
		if (text - *w == 2 &&
		    !strncmp(name, site->option, strlen(name)))
			continue; /* it is, or short for it */
		unknown_word(&err, "option", name, only_ours);
		if (strstr(err.text, "did you mean"))
			log_line("%s is no option; did you mean "
				 "--%s=FRAMEWORK?",
				 show(shown, *w), site->option);
	}
}

void options_register(spank_t sp, const struct config *config)
{
	static char name[sizeof(config->option)];
	const char *alone;
	char usage[160];
	static char arginfo[] = "FRAMEWORK[,KEY=VALUE]...";
	struct spank_option option = {
		.name = name,
		.arginfo = arginfo,
		.has_arg = 1,
		.cb = take_option,
	};

	site = config;
	strcpy(name, config->option);
	snprintf(usage, sizeof(usage),
		 "[dist-train] run PROGRAM as distributed training; "
		 "--%.60s=help lists the frameworks",
		 name);
	option.usage = usage;
	spank_option_register(sp, &option);
	if (spank_context() == S_CTX_REMOTE)
		return;
	dist_option_register(sp, name);
	say_misspelled();
	/* sbatch would wait for a script before it reads its options */
	alone = cmdline_only(name);
	if (alone)
		show_help(alone);
}
