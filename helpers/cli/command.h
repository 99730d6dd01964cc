/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command of dist-train: what its help says, its options, and what it does.
 * Each stands in a file of its own with all of that, as `NAME_command`, and has
 * a line in main/commands.def; main, help, completion and the manual's list
 * know it by that.
 *
 * helpers/cli is the program that people call themselves:
 * main/		finds the command, and prints its help or its error; all
 *		commands, and help, which shows them
 * words_cmd.c	frameworks, dialects, keys, version: tables as text
 * command.h, help.c, json_print.h	what several commands use
 * picture.h, svg.c	a layout as SVG; page/: the page for a browser
 * groups_json.h	where the ranks of a step are, as JSON
 * exec/		what srun --dist-train does, under a plain srun
 * explain/	what a step would get, without Slurm
 * doctor/		whether the cluster's nodes are ready
 * ranktable/	check, show and merge rank tables
 * status/ stack/	look into a running step, by helpers/visit
 * report/		the record of a step in words (timeline, why), and where
 *		the time of a job went, from all of its records (goodput)
 * node/		this node's NPUs, and the administrator's profiles
 * Each folder is one command and includes no other's; they call core, registry,
 * sys and helpers/npu; those that look into a step, helpers/visit. But for
 * exec, nothing here is part of a running step; nothing needs root, or changes
 * a file that it wasn't told to write.
 */
#pragma once

#include "core/base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_DONE    0
#define EXIT_FINDING 1
#define EXIT_USAGE   2

/* What a command returns instead of EXIT_FINDING: its output is complete, and
 * the error only counts what it shows. */
#define EXIT_FOUND (-2)

/* What a command that reads its words itself returns instead of a status: its
 * --help was asked for. */
#define SHOW_HELP (-1)

#define OPTIONS_MAX 40

/* One of a table, which ends with a NULL name; all commands have --help, too.
 */
struct command_option {
	const char *name;
	const char *value; /* what it is called in the help: "FILE..." and "DIR"
			      are completed; NULL: it has none */
	const char *meaning; /* "(or -x) ...": that is its short form; NULL:
				between our own programs, not in the help */
};

/* Of a command that asks a running step: how its launchers are found. */
#define OPTION_PORTS                                                           \
	{                                                                      \
		"ports", "MIN-MAX",                                            \
			"the administrator's ports= of plugstack.conf, where " \
			"that file isn't on this host"                         \
	}

/* The words of a command line, after its name. */
struct given {
	const struct command *command;
	const char *value[OPTIONS_MAX];
	char **word; /* those that are no options; ends with NULL */
	int n;
};

struct command {
	const char *name;
	const char *summary; /* in the list of commands: 60 columns */
	const char *usage;   /* one line for each form, behind the name; words
				that begin with JOB or FILE are completed */
	const char *about;   /* what it does: a sentence or three */
	const struct command_option *options; /* NULL: --help alone */
	int words;	     /* that it takes at most, without its options */
	const char *takes;   /* for who gives more; NULL: a common text */
	bool reads;	     /* its words itself: given.word has them all */
	const char *example; /* lines as one types them */
	const char *page;    /* its manual page */
	/* Returns an exit status, or SHOW_HELP; *err is filled for all but
	 * these and EXIT_DONE. */
	int (*run)(struct given *given, struct err *err);
};

#define ANY_WORDS INT_MAX

/* Of `words` 1, where that is a step. */
#define TAKES_STEP                                                             \
	"takes one step: JOB or JOB.STEP, as squeue --steps shows it (12.0)"

/* The short form of an option, or '\0'. */
char option_letter(const struct command_option *option);

/* Read the options of a command, argv[0] being its name; words that are none
 * may stand anywhere. Returns 0, SHOW_HELP or EXIT_USAGE. */
int command_read(const struct command *command, int argc, char *argv[],
		 struct given *ret, struct err *err);

/* The value of an option of the command's table; "" of one that takes none;
 * NULL: it isn't given. */
const char *option(const struct given *given, const char *name);

/* Of one that takes a time. Returns 0, with *ret untouched where it isn't
 * given, or -1. */
int option_seconds(const struct given *given, const char *name, long min,
		   long max, long *ret, struct err *err);

/* Whether the output may have colours: standard output is a terminal that knows
 * them, and NO_COLOR isn't set (no-color.org). */
static inline bool colour_wanted(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!no_color || !*no_color) &&
	       (!term || strcmp(term, "dumb") != 0);
}

/* --- help.c --- */

struct dialect;

/* What dist-train says about one of its commands: usage, options, an example.
 */
void help_on(FILE *f, const struct command *command);

/* A dialect, with the frameworks that it has. */
void help_dialect(FILE *f, const struct dialect *dialect);

/* The administrator's arguments. */
void help_arguments(FILE *f);
