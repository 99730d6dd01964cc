/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train why`: one page about a step that has ended or runs.
 *
 * why_find.h	which record is meant, and whose it is
 * why_now.h	what Slurm and the step's launchers say now
 * why_page.h	the page, for a person and as JSON
 */
#ifndef DT_HELPERS_CLI_WHY_WHY_CMD_H
#define DT_HELPERS_CLI_WHY_WHY_CMD_H

#include "helpers/cli/command.h"

/* For the help. */
extern const struct command_option why_options[];

/* argv[0] is "why". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int why_cmd(int argc, char *argv[], struct err *err);

#endif
