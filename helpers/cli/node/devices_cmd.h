/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train devices`: the NPUs of this node and how they were found.
 */
#ifndef DT_HELPERS_CLI_NODE_DEVICES_CMD_H
#define DT_HELPERS_CLI_NODE_DEVICES_CMD_H

#include "helpers/cli/command.h"

/* For the help. */
extern const struct command_option devices_options[];

/* argv[0] is "devices". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int devices_cmd(int argc, char *argv[], struct err *err);

#endif
