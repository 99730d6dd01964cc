/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helpers/cli/ranktable: dist-train ranktable check|merge|show, for a person
 * who has the file of an Ascend rank table. It reads files and prints; merge
 * writes one. No Slurm, no driver: what only the running process knows isn't
 * checked.
 *
 *	json_strict	whether the file is JSON to a strict reader
 *	table_document	its tree, but for the long list, read piece by piece
 *	table_value	single values, with the library's way to read them
 *	forms, form_*	each form of the file: its keys, types and limits; fills
 *	table_view	the rows of the file with their places in it
 *	faults		core's rules (core/ascend/ranktable_rules.h) over these
 *			rows, and how their faults read to a person with a file
 *	table_report	prints faults as lines or JSON
 *	table_merge, table_show	the other two commands
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_RANKTABLE_CMD_H
#define DT_HELPERS_CLI_RANKTABLE_RANKTABLE_CMD_H

#include "helpers/cli/ranktable/table_view.h"

/* One table of several files, in the order of `files`, written to `output`.
 * Faults of the files go to stderr. Returns an exit status. */
int ranktable_merge(char *const files[], size_t nfiles, const char *output,
		    enum chip chip, struct err *err);

/* Servers, devices and ranks as a table, or as JSON. Returns 0 or -1. */
int ranktable_show(FILE *f, const struct view *view, bool json,
		   struct err *err);

#endif
