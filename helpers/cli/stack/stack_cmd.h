/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_STACK_STACK_CMD_H
#define DT_HELPERS_CLI_STACK_STACK_CMD_H

#include "helpers/cli/command.h"

extern const struct command_option stack_options[];

int stack_cmd(int argc, char *argv[], struct err *err);

#endif
