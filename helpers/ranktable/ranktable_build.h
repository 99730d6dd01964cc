/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step's rank table: from the rows of all tasks, the same bytes on every
 * node.
 */
#ifndef DT_HELPERS_RANKTABLE_RANKTABLE_BUILD_H
#define DT_HELPERS_RANKTABLE_RANKTABLE_BUILD_H

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "helpers/ranktable/row_ranks.h"

#include <stddef.h>

/* Check the rows (lines, cut to pieces here) of a step with so many ranks; the
 * table's text is the caller's to free. `ranks` gives them their ranks, and
 * leaves out those of nodes that aren't in the plan's world; NULL: they have
 * them. Fails when the library would refuse the table. */
int ranktable_build(char *rows, const struct plan *plan,
		    struct row_ranks *ranks, char **ret, size_t *ret_len,
		    struct err *err);

/* Write it to `path` on `node`, for the user alone. */
int ranktable_write(const char *text, size_t len, const char *path,
		    const char *node, struct err *err);

#endif
