/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train explain`: what each process of a step would get.
 */
#ifndef DT_HELPERS_EXPLAIN_CMD_H
#define DT_HELPERS_EXPLAIN_CMD_H

#include "core/err.h"

#define EXIT_DONE    0
#define EXIT_FINDING 1
#define EXIT_USAGE   2

/* Options of the command, for its help; ends with a NULL name. */
struct explain_option {
	const char *name;
	const char *value; /* NULL: takes none */
	const char *meaning;
};

extern const struct explain_option explain_options[];

/* argv[0] is "explain". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int explain_cmd(int argc, char *argv[], struct err *err);

#endif
