/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train help, which knows the table of commands: no row of it leads here
 * (dist-train.c).
 */
#include "core/base/parse.h"
#include "core/base/unknown_word.h"
#include "core/plan/dialect.h"
#include "helpers/cli/commands.h"
#include "helpers/cli/help.h"
#include "registry/registry.h"
#include "registry/words_help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAMES 18 /* where the text beside a name begins */

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

/* What dist-train is, and its commands: 25 lines. */
static void print_overview(FILE *f)
{
	fputs(title, f);
	for (const struct command *c = commands; c->name; c++)
		fprintf(f, "  %-*s%s\n", NAMES - 2, c->name, c->summary);
	fputs(footer, f);
}

/* Every word that help knows: commands, keys, frameworks, aliases, dialects. */
static const char *word_nth(size_t n)
{
	size_t i;

	for (i = 0; commands[i].name; i++)
		if (!n--)
			return commands[i].name;
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

static const char *command_nth(size_t n)
{
	return commands[n].name;
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
		help_command(f, c);
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

int help_cmd(int argc, char *argv[], struct err *err)
{
	char shown[SHOW_SIZE];

	if (argc > 2) {
		err_printf(err, "help: unexpected argument %s; write help WORD",
			   show(shown, argv[2]));
		return EXIT_USAGE;
	}
	if (argc < 2 || !strcmp(argv[1], "--help")) {
		print_overview(stdout);
		return EXIT_DONE;
	}
	if (explain_word(stdout, argv[1]) || explain_name(stdout, argv[1]))
		return EXIT_DONE;
	unknown_word_of(err, "word", argv[1], word_nth, command_nth);
	return EXIT_USAGE;
}
