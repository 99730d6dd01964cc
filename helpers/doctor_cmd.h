/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train doctor`: would a job work on the nodes of this allocation?
 */
#ifndef DT_HELPERS_DOCTOR_CMD_H
#define DT_HELPERS_DOCTOR_CMD_H

#include "core/err.h"
#include "helpers/explain_cmd.h"

/* Options of the command, for its help; ends with a NULL name. */
extern const struct explain_option doctor_help[];

/* argv[0] is "doctor". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int doctor_cmd(int argc, char *argv[], struct err *err);

#endif
