/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the commands of dist-train have in common: their exit status, and how
 * their options are written down, read and shown in the help.
 *
 * helpers/cli is the program that people call themselves:
 * dist-train.c	main: finds the command, and prints its help or its error
 * commands.c	the table of all commands, with the text of their help
 * words_cmd.h	frameworks, dialects, keys, help, version: tables as text
 * command.h, help.h, json_print.h	what several commands use
 * picture.h, svg.h	a layout as SVG; page/: the page for a browser
 * groups_json.h	where the ranks of a step are, as JSON
 * exec/		what srun --dist-train does, under a plain srun
 * explain/	what a step would get, without Slurm
 * doctor/		whether the cluster's nodes are ready
 * ranktable/	check, show and merge rank tables
 * status/ stack/	look into a running step, by helpers/visit
 * report/		the record of a step in words (timeline, why), and where
 *the time of a job went, from all of its records (goodput)
 * node/		this node's NPUs, and the administrator's profiles
 * Each folder is one command and includes no other's; they call core, registry,
 * sys and helpers/npu; those that look into a step, helpers/visit. But for
 * exec, nothing here is part of a running step; nothing needs root, or changes
 * a file that it wasn't told to write.
 */
#ifndef DT_HELPERS_CLI_COMMAND_H
#define DT_HELPERS_CLI_COMMAND_H

#include "core/base/err.h"

#define EXIT_DONE    0
#define EXIT_FINDING 1
#define EXIT_USAGE   2

/* What a command returns instead of EXIT_FINDING: its output is complete, and
 * the error only counts what it shows. */
#define EXIT_FOUND (-2)

/* What a command returns instead of a status: its --help was asked for. */
#define SHOW_HELP (-1)

/* One of a table; the table ends with a NULL name. */
struct command_option {
	const char *name;
	const char *value;   /* what it is called in the help; NULL: none */
	const char *meaning; /* NULL: between our own programs, not in the help
			      */
};

/* Read the options of a command, argv[0] being its name. value[] has a place
 * for each of the table: the option's value, "" for one that takes none; what
 * isn't given is left as it was. `letters` are those whose first letter is
 * their short form, as in "oh". Words that are no options are put last.
 * Returns the first of them (argc: none), or -1. */
int command_read(int argc, char *argv[], const struct command_option *options,
		 const char *letters, const char *value[], struct err *err);

/* As command_read(), of a command that takes long options and nothing else.
 * Returns 0 or -1. */
int command_read_only(int argc, char *argv[],
		      const struct command_option *options, const char *value[],
		      struct err *err);

/* Of a command that asks a running step: how its launchers are found. */
#define OPTION_PORTS                                                           \
	{                                                                      \
		"ports", "MIN-MAX",                                            \
			"the administrator's ports= of plugstack.conf, where " \
			"that file isn't on this host"                         \
	}

/* Of one that takes one step at most, argv[first] after command_read(); NULL
 * is there where none is named. Returns 0 or -1. */
int command_one_step(int argc, char *argv[], int first, struct err *err);

/* A command, as main finds it and the help shows it. */
struct command {
	const char *name;
	const char *summary; /* in the list of commands: 60 columns */
	const char *usage;   /* one line for each form, behind the name */
	const char *about;   /* what it does: a sentence or three */
	const struct command_option *options; /* NULL: --help alone */
	const char *example;		      /* lines as one types them */
	const char *page;		      /* its manual page */
	/* argv[0] is the name. Returns an exit status, or SHOW_HELP; *err is
	 * filled for all but these and EXIT_DONE. */
	int (*run)(int argc, char *argv[], struct err *err);
};

/* All commands in the order of the help; ends with a NULL name. */
extern const struct command commands[];

/* The command of that name; NULL: there is none. */
const struct command *command_find(const char *name);

#endif
