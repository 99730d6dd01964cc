/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train profiles`: the administrator's profiles of this node.
 */
#ifndef DT_HELPERS_CLI_NODE_PROFILES_CMD_H
#define DT_HELPERS_CLI_NODE_PROFILES_CMD_H

#include "helpers/cli/command.h"

/* For the help. */
extern const struct command_option profiles_options[];

/* profiles [NAME] [--dir DIR]: the names in DIR, or the lines of one. Returns
 * an exit status; *err is filled unless it is 0 or SHOW_HELP. */
int profiles_cmd(int argc, char *argv[], struct err *err);

#endif
