/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands that show what the tables of the program have: frameworks,
 * keys, dialects, words of all kinds, and its version.
 */
#ifndef DT_HELPERS_CLI_WORDS_CMD_H
#define DT_HELPERS_CLI_WORDS_CMD_H

#include "helpers/cli/command.h"

/* --json and --help, for commands that take no others. */
extern const struct command_option json_options[];

/* Each as struct command has it. */
int frameworks_cmd(int argc, char *argv[], struct err *err);
int keys_cmd(int argc, char *argv[], struct err *err);
int dialects_cmd(int argc, char *argv[], struct err *err);
int help_cmd(int argc, char *argv[], struct err *err);
int version_cmd(int argc, char *argv[], struct err *err);

#endif
