/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/command.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"

#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#define LETTERS_MAX 8

/* The table as getopt_long() takes it, and its short forms. */
static struct option *make_long(const struct command_option *options,
				const char *letters,
				char ret_short[2 * LETTERS_MAX + 2])
{
	struct option *ret;
	size_t n = 0;

	while (options[n].name)
		n++;
	ret = calloc(n + 1, sizeof(*ret));
	*ret_short++ = ':';
	for (size_t i = 0; ret && i < n; i++) {
		const struct command_option *o = &options[i];
		bool letter = strchr(letters, *o->name) != NULL;

		ret[i] = (struct option){o->name, o->value ? 1 : 0, NULL,
					 letter ? *o->name : 256 + (int)i};
		if (letter)
			*ret_short++ = *o->name;
		if (letter && o->value)
			*ret_short++ = ':';
	}
	*ret_short = '\0';
	return ret;
}

int command_read(int argc, char *argv[], const struct command_option *options,
		 const char *letters, const char *value[], struct err *err)
{
	char shown[SHOW_SIZE], short_forms[2 * LETTERS_MAX + 2];
	cleanup_free struct option *all =
		make_long(options, letters, short_forms);
	int c;

	if (!all)
		return err_memory(err);
	opterr = 0;
	while ((c = getopt_long(argc, argv, short_forms, all, NULL)) != -1) {
		size_t i = 0;

		if (c == '?' || c == ':')
			return err_printf(
				err,
				"%s: %s %s; dist-train %s --help shows them",
				argv[0],
				c == ':' ? "no value after" : "unknown option",
				show(shown, argv[optind - 1]), argv[0]);
		while (all[i].val != c)
			i++;
		value[i] = optarg ? optarg : "";
	}
	return optind;
}

int command_read_only(int argc, char *argv[],
		      const struct command_option *options, const char *value[],
		      struct err *err)
{
	char shown[SHOW_SIZE];
	int first = command_read(argc, argv, options, "", value, err);

	if (first < 0 || first == argc)
		return first < 0 ? -1 : 0;
	return err_printf(err, "%s: unexpected argument %s", argv[0],
			  show(shown, argv[first]));
}

int command_one_step(int argc, char *argv[], int first, struct err *err)
{
	return first + 1 >= argc
		       ? 0
		       : err_printf(err,
				    "%s takes one step: JOB or JOB.STEP, as "
				    "squeue --steps shows it (12.0)",
				    argv[0]);
}
