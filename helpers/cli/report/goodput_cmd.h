/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train goodput`: where the time of jobs went, over all their lives.
 *
 * goodput_read.h	the records of the jobs
 * goodput_slurm.h	what they lack, and Slurm may know
 * goodput.h		the parts of the time: pure
 * goodput_print.h	text, JSON and picture
 */
#ifndef DT_HELPERS_CLI_GOODPUT_GOODPUT_CMD_H
#define DT_HELPERS_CLI_GOODPUT_GOODPUT_CMD_H

#include "helpers/cli/command.h"

/* For the help. */
extern const struct command_option goodput_options[];

/* argv[0] is "goodput". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int goodput_cmd(int argc, char *argv[], struct err *err);

#endif
