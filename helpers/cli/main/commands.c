/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/main/commands.h"

#include "core/base/parse.h"
#include "core/plan/dialect.h"
#include "registry/registry.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define NAMES 18 /* where the text beside a name begins */

#define COMMAND(name) extern const struct command name##_command;
#include "helpers/cli/main/commands.def"
#undef COMMAND

static const struct command help_command;

const struct command *const commands[] = {
#define COMMAND(name) &name##_command,
#include "helpers/cli/main/commands.def"
#undef COMMAND
	&help_command,
	NULL,
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

const char *command_nth(size_t n)
{
	return commands[n] ? commands[n]->name : NULL;
}

/* --- help, which shows them --- */

static const char title[] =
	"dist-train: distributed training on Slurm with one option of srun:\n"
	"\n"
	"  srun -N4 --gpus-per-node=8 --dist-train=ddp python3 main.py\n"
	"\n"
	"This program shows what the option does, and helps where it fails:\n";

static const char footer[] =
	"\n"
	"dist-train COMMAND --help shows a command, dist-train help WORD a "
	"framework\n"
	"or a key. On a cluster with the plugin: srun --dist-train=help.\n"
	"Exit status: 0 done, 1 a finding or a failure, 2 wrong usage.\n";

void help_overview(FILE *f)
{
	fputs(title, f);
	for (const struct command *const *c = commands; *c; c++)
		fprintf(f, "  %-*s%s\n", NAMES - 2, (*c)->name, (*c)->summary);
	fputs(footer, f);
}

/* Every word that help knows: commands, keys, frameworks, aliases, dialects. */
static const char *word_nth(size_t n)
{
	size_t i;

	for (i = 0; commands[i]; i++)
		if (!n--)
			return commands[i]->name;
	for (i = 0; key_nth(i); i++)
		if (!n--)
			return key_nth(i)->name;
	for (i = 0; framework_nth(i); i++)
		if (!n--)
			return framework_nth(i)->name;
	for (i = 0; alias_nth(i); i++)
		if (!n--)
			return alias_nth(i)->name;
	for (i = 0; dialect_nth(i); i++)
		if (!n--)
			return dialect_nth(i)->name;
	return NULL;
}

static const struct dialect *find_dialect(const char *word)
{
	for (size_t i = 0; dialect_nth(i); i++)
		if (!strcasecmp(dialect_nth(i)->name, word))
			return dialect_nth(i);
	return NULL;
}

/* A command or a key, which may have the same name. */
static bool explain_word(FILE *f, const char *word)
{
	const struct command *c = command_find(word);
	const struct option_key *key = key_find(word, strlen(word));

	if (c)
		help_on(f, c);
	if (c && key)
		fputs("\nThe key of that name:\n", f);
	if (key)
		help_key(f, key);
	return c || key;
}

/* The others. */
static bool explain_name(FILE *f, const char *word)
{
	const struct dialect *d = find_dialect(word);
	const struct framework *fw;
	struct err unknown;

	fw = framework_find(word, &unknown);
	if (fw)
		help_framework(f, fw);
	else if (d)
		help_dialect(f, d);
	else if (!strcmp(word, "plugstack.conf"))
		help_arguments(f);
	else
		return false;
	return true;
}

static int run_help(struct given *g, struct err *err)
{
	char shown[SHOW_SIZE];

	if (g->n > 1) {
		err_printf(err, "help: unexpected argument %s; write help WORD",
			   show(shown, g->word[1]));
		return EXIT_USAGE;
	}
	if (!g->n || !strcmp(g->word[0], "--help")) {
		help_overview(stdout);
		return EXIT_DONE;
	}
	if (explain_word(stdout, g->word[0]) ||
	    explain_name(stdout, g->word[0]))
		return EXIT_DONE;
	unknown_word_of(err, "word", g->word[0], word_nth, command_nth);
	return EXIT_USAGE;
}

static const struct command help_command = {
	.name = "help",
	.summary = "one command, framework, key or dialect",
	.usage = "[COMMAND|FRAMEWORK|KEY|DIALECT|plugstack.conf]",
	.about = "Explains a word; plugstack.conf: the "
		 "administrator's arguments. dist-train COMMAND --help "
		 "is the "
		 "same as dist-train help COMMAND.",
	.example = "dist-train help grace\n"
		   "dist-train help horovod",
	.page = "dist-train",
	.reads = true,
	.run = run_help,
};
