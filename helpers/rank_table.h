/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step's rank table as a file: from the rows of all tasks, the same bytes
 * on every node.
 */
#ifndef DT_HELPERS_RANK_TABLE_H
#define DT_HELPERS_RANK_TABLE_H

#include "core/err.h"
#include "core/plan.h"

#include <stddef.h>

/* Check the rows (lines, cut to pieces here) of a step with so many ranks, and
 * write the table to `path`. Fails when the library would refuse the table. */
int rank_table_write(char *rows, const struct plan *plan, const char *path,
		     struct err *err);

#endif
