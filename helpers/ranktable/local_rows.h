/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This launcher's rows of the rank table. A driver may take its time or hang:
 * its library is asked in a child. Where its answers say all, the rows are made
 * of them here; else in one more child, which asks the driver's tools.
 */
#ifndef DT_HELPERS_RANKTABLE_LOCAL_ROWS_H
#define DT_HELPERS_RANKTABLE_LOCAL_ROWS_H

#include "core/plan/plan.h"
#include "helpers/ranktable/rows_question.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdio.h>

struct local_rows {
	struct loop *loop;
	/* All lines have come, one row each; or `why` says what is wrong. */
	void (*done)(void *arg, const char *rows, size_t n, const char *why);
	void *arg;
	/* its own */
	struct rows_question question;
	struct subprocess sub;
	struct loop_timer limit; /* for the library */
	uint64_t began_ms;
	FILE *stream; /* what has come from `sub`; into `text` */
	char *text;
	size_t n;
};

/* Begin to ask. `hccn_fd` is what the plugin has read, or -1. With `all` the
 * rows are those of the whole step (helpers/ranktable/table_from_inventory.h).
 * Returns 0 or -1. */
int local_rows_begin(struct local_rows *r, const struct plan *plan,
		     const struct config *config,
		     const struct rows_wanted *wanted, int hccn_fd, bool all,
		     struct err *err);

void local_rows_close(struct local_rows *r);

#endif
