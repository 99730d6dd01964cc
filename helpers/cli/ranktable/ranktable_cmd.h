/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train ranktable check|merge|show
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_RANKTABLE_CMD_H
#define DT_HELPERS_CLI_RANKTABLE_RANKTABLE_CMD_H

#include "core/base/err.h"
#include "helpers/cli/ranktable/table_view.h"

/* argv[0] is "ranktable". Returns an exit status of command.h; *err is
 * filled for all but EXIT_DONE. */
int ranktable_cmd(int argc, char *argv[], struct err *err);

/* One table of several files, in the order of `files`, written to `output`.
 * Faults of the files go to stderr. Returns an exit status. */
int ranktable_merge(char *const files[], size_t nfiles, const char *output,
		    enum chip chip, struct err *err);

/* Servers, devices and ranks as a table, or as JSON. Returns 0 or -1. */
int ranktable_show(FILE *f, const struct view *view, bool json,
		   struct err *err);

/* The usage, for --help. */
extern const char ranktable_usage[];

#endif
