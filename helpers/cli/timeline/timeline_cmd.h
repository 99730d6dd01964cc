/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train timeline`: a step's record as a picture or a Chrome trace.
 */
#ifndef DT_HELPERS_CLI_TIMELINE_TIMELINE_CMD_H
#define DT_HELPERS_CLI_TIMELINE_TIMELINE_CMD_H

#include "helpers/cli/command.h"
#include "helpers/cli/timeline/timeline_reader.h"

#include <stdio.h>

/* For the help. */
extern const struct command_option timeline_options[];

/* argv[0] is "timeline". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int timeline_cmd(int argc, char *argv[], struct err *err);

/* A row for each rank, with who was late and who failed first in words. */
void timeline_svg(FILE *f, const struct record *record);

/* Trace events as chrome://tracing and Perfetto read them: a process for each
 * node, a thread for each rank. */
void timeline_trace(FILE *f, const struct record *record);

/* "exit code 3", "signal 9", "ok", or "still running". Returns buf. */
const char *life_end(const struct life *life, char buf[32]);

#endif
