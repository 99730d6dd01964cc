/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher asks the driver about its NPUs, and the rows of the rank
 * table that come of it. helpers/ranktable/local_rows.c decides in which
 * process.
 */
#ifndef DT_HELPERS_RANKTABLE_ROWS_QUESTION_H
#define DT_HELPERS_RANKTABLE_ROWS_QUESTION_H

#include "core/option/config.h"
#include "core/plan/plan.h"
#include "helpers/npu/devinfo.h"
#include "helpers/ranktable/rows_wanted.h"

#include <stdbool.h>
#include <stdio.h>

/* rows_question_clear() frees it. The file of hccn.conf and the inventory's
 * path are borrowed. */
struct rows_question {
	struct devinfo_options driver;
	struct rows_wanted wanted;
	char *node, *address; /* of the rows; address may be NULL */
	bool warns;	      /* troubles of the driver are told */
};

/* Returns 0, or -1 when out of memory. */
int rows_question_fill(struct rows_question *ret, const struct plan *plan,
		       const struct config *config,
		       const struct rows_wanted *wanted, int hccn_fd,
		       struct err *err);
void rows_question_clear(struct rows_question *question);

/* Write the rows, one line each: those that are wanted, or, with the plan of
 * the `whole` step, all of its rows (helpers/ranktable/table_from_inventory.h).
 * Warnings go to standard error when all is well. Returns what devinfo_read()
 * returns, or -1. */
int rows_question_ask(const struct rows_question *question,
		      const struct plan *whole, FILE *rows, struct err *err);

#endif
