/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train doctor`: would a job work on the nodes of this allocation?
 */
#ifndef DT_HELPERS_CLI_DOCTOR_DOCTOR_CMD_H
#define DT_HELPERS_CLI_DOCTOR_DOCTOR_CMD_H

#include "helpers/cli/command.h"

/* For the help. */
extern const struct command_option doctor_options[];

/* argv[0] is "doctor". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int doctor_cmd(int argc, char *argv[], struct err *err);

#endif
