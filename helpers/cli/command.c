/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/command.h"

#include "core/base/parse.h"

#include <getopt.h>

char option_letter(const struct command_option *o)
{
	char letter = '\0';

	if (o->meaning)
		sscanf(o->meaning, "(or -%c)", &letter);
	return letter;
}

/* The table as getopt_long() takes it, and its short forms; --help is behind
 * it. */
static void make_long(const struct command_option *options,
		      struct option ret[OPTIONS_MAX + 2],
		      char ret_short[2 * OPTIONS_MAX])
{
	int n = 0;

	*ret_short++ = ':';
	*ret_short++ = 'h';
	for (const struct command_option *o = options; o && o->name; o++, n++) {
		char letter = option_letter(o);

		ret[n] = (struct option){o->name, o->value ? 1 : 0, NULL,
					 letter ? letter : 256 + n};
		if (letter)
			*ret_short++ = letter;
		if (letter && o->value)
			*ret_short++ = ':';
	}
	ret[n] = (struct option){"help", 0, NULL, 'h'};
	ret[n + 1] = (struct option){NULL, 0, NULL, 0};
	*ret_short = '\0';
}

static int check_words(const struct command *c, const struct given *g,
		       struct err *err)
{
	char shown[SHOW_SIZE];

	if (g->n <= c->words)
		return 0;
	if (c->takes)
		err_printf(err, "%s %s", c->name, c->takes);
	else
		err_printf(err, "%s: unexpected argument %s", c->name,
			   show(shown, g->word[c->words]));
	return EXIT_USAGE;
}

int command_read(const struct command *command, int argc, char *argv[],
		 struct given *ret, struct err *err)
{
	char shown[SHOW_SIZE], short_forms[2 * OPTIONS_MAX];
	struct option all[OPTIONS_MAX + 2];
	int c;

	make_long(command->options, all, short_forms);
	*ret = (struct given){.command = command};
	opterr = 0;
	while ((c = getopt_long(argc, argv, short_forms, all, NULL)) != -1) {
		size_t i = 0;

		if (c == 'h')
			return SHOW_HELP;
		if (c == '?' || c == ':') {
			err_printf(err,
				   "%s: %s %s; dist-train %s --help shows them",
				   argv[0],
				   c == ':' ? "no value after"
					    : "unknown option",
				   show(shown, argv[optind - 1]), argv[0]);
			return EXIT_USAGE;
		}
		while (all[i].val != c)
			i++;
		ret->value[i] = optarg ? optarg : "";
	}
	ret->word = argv + optind;
	ret->n = argc - optind;
	return check_words(command, ret, err);
}

int option_seconds(const struct given *g, const char *name, long min, long max,
		   long *ret, struct err *err)
{
	const char *text = option(g, name);
	char shown[SHOW_SIZE];

	if (!text || parse_seconds(text, min, max, ret) == 0)
		return 0;
	return err_printf(err,
			  "--%s=%s: must be a number of seconds from %ld to "
			  "%ld, or with s, m, h",
			  name, show(shown, text), min, max);
}

const char *option(const struct given *g, const char *name)
{
	const struct command_option *o = g->command->options;

	while (strcmp(o->name, name) != 0)
		o++;
	return g->value[o - g->command->options];
}
