/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_STATUS_STATUS_CMD_H
#define DT_HELPERS_CLI_STATUS_STATUS_CMD_H

#include "helpers/cli/command.h"

extern const struct command_option status_options[];

int status_cmd(int argc, char *argv[], struct err *err);

#endif
