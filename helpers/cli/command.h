/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the commands of dist-train have in common: their exit status, and how
 * their options are written down, read and shown in the help.
 *
 * helpers/cli is the program that people call themselves:
 * dist-train.c	main: finds the command; the only one that prints the help
 * command.h, help.h, json_out.h, svg.h	what several commands use
 * explain/	what a step would get, without Slurm
 * doctor/		whether the cluster's nodes are ready
 * ranktable/	check, show and merge rank tables
 * timeline/	the record of a step as a picture or a trace
 * node/		this node's NPUs, and the administrator's profiles
 * Each folder is one command and includes no other's; they call core, registry,
 * sys and helpers/npu. Nothing here is part of a running step, needs root, or
 * changes a file that it wasn't told to write.
 */
#ifndef DT_HELPERS_CLI_COMMAND_H
#define DT_HELPERS_CLI_COMMAND_H

#include "core/base/err.h"

#define EXIT_DONE    0
#define EXIT_FINDING 1
#define EXIT_USAGE   2

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

#endif
