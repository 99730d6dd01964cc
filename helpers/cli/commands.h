/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of dist-train, which helpers/cli/commands.c lists. argv[0] is
 * the command's name. Each returns an exit status of command.h, or SHOW_HELP;
 * the error says why unless it is EXIT_DONE. exec returns only when it fails.
 */
#ifndef DT_HELPERS_CLI_COMMANDS_H
#define DT_HELPERS_CLI_COMMANDS_H

#include "helpers/cli/command.h"

typedef int command_fn(int argc, char *argv[], struct err *err);

command_fn devices_cmd, dialects_cmd, doctor_cmd, explain_cmd, frameworks_cmd,
	goodput_cmd, help_cmd, keys_cmd, profiles_cmd, ranktable_cmd, stack_cmd,
	status_cmd, timeline_cmd, top_cmd, version_cmd, why_cmd;

/* What each takes, for the help, too; json_options are --json and --help, for
 * commands that take no others. */
extern const struct command_option devices_options[], doctor_options[],
	explain_options[], goodput_options[], json_options[],
	profiles_options[], ranktable_options[], stack_options[],
	status_options[], timeline_options[], top_options[], why_options[];

#endif
