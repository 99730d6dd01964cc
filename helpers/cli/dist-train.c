/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train: what the option --dist-train does, without a step.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/base/parse.h"
#include "core/base/unknown_word.h"
#include "helpers/cli/doctor/doctor_cmd.h"
#include "helpers/cli/explain/explain_cmd.h"
#include "helpers/cli/help.h"
#include "helpers/cli/json_out.h"
#include "helpers/cli/node/devices_cmd.h"
#include "helpers/cli/node/profiles_cmd.h"
#include "helpers/cli/ranktable/ranktable_cmd.h"
#include "helpers/cli/timeline/timeline_cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static int help_cmd(int argc, char *argv[], struct err *err)
{
	(void)argc;
	(void)argv;
	(void)err;
	return SHOW_HELP;
}

static int version_cmd(int argc, char *argv[], struct err *err)
{
	(void)argc;
	(void)argv;
	(void)err;
	puts("dist-train " PACKAGE_VERSION);
	return EXIT_DONE;
}

static int frameworks_cmd(int argc, char *argv[], struct err *err)
{
	char shown[SHOW_SIZE];

	if (argc == 1) {
		help_frameworks(stdout, true);
		return EXIT_DONE;
	}
	if (argc == 2 && !strcmp(argv[1], "--json"))
		return json_frameworks(stdout, err) < 0 ? EXIT_FINDING
							: EXIT_DONE;
	if (argc == 2 && !strcmp(argv[1], "--help"))
		return SHOW_HELP;
	err_printf(err,
		   "frameworks: unexpected argument %s; it takes only --json",
		   show(shown, argv[argc - 1]));
	return EXIT_USAGE;
}

static int dialects_cmd(int argc, char *argv[], struct err *err)
{
	char shown[SHOW_SIZE];

	if (argc == 1) {
		help_dialects(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--help"))
		return SHOW_HELP;
	err_printf(err, "dialects: unexpected argument %s; it takes none",
		   show(shown, argv[1]));
	return EXIT_USAGE;
}

static const struct command {
	const char *name;
	int (*run)(int argc, char *argv[], struct err *err);
} commands[] = {
	{"explain", explain_cmd},
	{"frameworks", frameworks_cmd},
	{"dialects", dialects_cmd},
	{"profiles", profiles_cmd},
	{"help", help_cmd},
	{"--help", help_cmd},
	{"-h", help_cmd},
	{"--version", version_cmd},
	{"ranktable", ranktable_cmd},
	{"devices", devices_cmd},
	{"doctor", doctor_cmd},
	{"timeline", timeline_cmd},
};

static const char *command_name_nth(size_t n)
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (commands[i].name[0] != '-' && !n--)
			return commands[i].name;
	return NULL;
}

static int run_command(int argc, char *argv[], struct err *err)
{
	if (argc < 2) {
		err_printf(err, "no command; dist-train --help shows them");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < NCOMMANDS; i++) {
		if (strcmp(commands[i].name, argv[1]) != 0)
			continue;
		return commands[i].run(argc - 1, argv + 1, err);
	}
	unknown_word(err, "command", argv[1], command_name_nth);
	return EXIT_USAGE;
}

int main(int argc, char *argv[])
{
	struct err err = {.text = ""};
	int status = run_command(argc, argv, &err);
	bool lost;

	if (status == SHOW_HELP) {
		help_print(stdout);
		status = EXIT_DONE;
	}
	lost = fflush(stdout) == EOF;

	if (status == EXIT_DONE && (lost || ferror(stdout))) {
		err_printf(&err, "can't write the output: %s", strerror(errno));
		status = EXIT_FINDING;
	}
	if (status != EXIT_DONE)
		fprintf(stderr, "dist-train: %s\n", err.text);
	return status;
}
