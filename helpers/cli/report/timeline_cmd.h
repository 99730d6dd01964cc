/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train timeline`: a step's record as a summary, a picture or a Chrome
 * trace.
 */
#ifndef DT_HELPERS_CLI_TIMELINE_TIMELINE_CMD_H
#define DT_HELPERS_CLI_TIMELINE_TIMELINE_CMD_H

#include "helpers/cli/command.h"
#include "helpers/cli/report/timeline_facts.h"

#include <stdio.h>

/* For the help. */
extern const struct command_option timeline_options[];

/* argv[0] is "timeline". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int timeline_cmd(int argc, char *argv[], struct err *err);

/* What a person wants to know of it, on a screen. */
void timeline_text(FILE *f, const struct record *record,
		   const struct facts *facts);

/* The same as one JSON object in one line. Fails when out of memory. */
int timeline_json(FILE *f, const struct record *record,
		  const struct facts *facts, struct err *err);

/* Trace events as chrome://tracing and Perfetto read them: a process for each
 * node, a thread for each rank. Times are those of torch.profiler's traces, so
 * that the two can be joined. For picture_write(); `arg` is a struct record. */
void timeline_trace(FILE *f, void *arg);

#endif
