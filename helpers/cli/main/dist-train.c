/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train: what the option --dist-train does, without a step.
 */
#include "core/base/parse.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/main/commands.h"
#include "registry/registry.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* What one also writes for a command. */
static const char *own_name(const char *word)
{
	static const char *const others[][2] = {
		{"--help", "help"}, {"-h", "help"},    {"--version", "version"},
		{"-V", "version"},  {"-v", "version"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i][0], word))
			return others[i][1];
	return word;
}

static int run_command(int argc, char *argv[], struct err *err)
{
	struct given given = {.word = argv + 2, .n = argc - 2};
	const struct command *c;
	int status = 0;

	if (argc < 2) {
		help_overview(stdout);
		return EXIT_DONE;
	}
	c = command_find(own_name(argv[1]));
	if (!c) {
		if (framework_find(argv[1], err))
			err_printf(err,
				   "%s is a framework: srun --dist-train=%s "
				   "PROGRAM starts it, dist-train explain %s "
				   "shows how",
				   argv[1], argv[1], argv[1]);
		else
			unknown_word(err, "command", argv[1], command_nth);
		return EXIT_USAGE;
	}
	given.command = c;
	if (!c->reads)
		status = command_read(c, argc - 1, argv + 1, &given, err);
	if (!status)
		status = c->run(&given, err);
	if (status != SHOW_HELP)
		return status;
	help_on(stdout, c);
	return EXIT_DONE;
}

/* Say on standard error why the status isn't EXIT_DONE. */
static int report(int argc, char *argv[], int status, const struct err *err)
{
	fprintf(stderr, "dist-train: %s\n", err->text);
	if (status == EXIT_FOUND)
		return EXIT_FINDING;
	if (json_wanted(argc, argv))
		json_print_error(stdout, err->text);
	return status;
}

int main(int argc, char *argv[])
{
	struct err err = {.text = ""};
	int status = run_command(argc, argv, &err);
	bool lost;

	lost = fflush(stdout) == EOF;

	if (status == EXIT_DONE && (lost || ferror(stdout))) {
		err_printf(&err, "can't write the output: %s", strerror(errno));
		status = EXIT_FINDING;
	}
	return status == EXIT_DONE ? status : report(argc, argv, status, &err);
}
