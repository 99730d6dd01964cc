/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train explain`: what each process of a step would get.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_CMD_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_CMD_H

#include "helpers/cli/explain/arguments.h"

/* argv[0] is "explain". Returns the exit status; the error says why it isn't
 * EXIT_DONE. */
int explain_cmd(int argc, char *argv[], struct err *err);

#endif
