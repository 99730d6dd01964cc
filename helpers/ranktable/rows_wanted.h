/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of the rank table this launcher asks the driver for.
 *
 * As a rule those of its own processes. In task mode a node has a launcher for
 * each task, and a driver's library takes its time to start: there the node's
 * first launcher asks once for all tasks of the node, and the others say
 * nothing. That needs no word between them, for all decide by the same facts.
 */
#ifndef DT_HELPERS_RANKTABLE_ROWS_WANTED_H
#define DT_HELPERS_RANKTABLE_ROWS_WANTED_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/plan/plan.h"
#include "helpers/npu/devinfo.h"

#include <stdbool.h>
#include <stdio.h>

struct rows_wanted {
	unsigned rank[IDLIST_MAX]; /* of each device; with recovery its number
				      on the node
				      (helpers/ranktable/ranktable_build.c)
				    */
	struct idlist npu;	   /* by physical id */
};

/* Whether the node's first launcher speaks for all of its tasks: the same
 * answer in each of them. Not where Slurm gives tasks devices of their own, for
 * one launcher can't know another's then; nor in heterogeneous steps, whose
 * list of tasks has other numbers, or with recovery. */
bool rows_wanted_first_tells(const struct plan *plan);

/* Those of the plan's own processes. */
void rows_wanted_own(const struct plan *plan, const struct npu_task *task,
		     struct rows_wanted *ret);

/* Those of all tasks of this node, for its first launcher. Fails as
 * npu_task_find() does, and when SLURM_GTIDS isn't a list of tasks. */
int rows_wanted_of_node(const struct plan *plan, const struct config *config,
			struct rows_wanted *ret, struct err *err);

/*
 * What a launcher asks the driver about its NPUs, and the rows of the rank
 * table that come of it. helpers/ranktable/local_rows.c decides in which
 * process.
 */

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
 * the `whole` step, all of its rows (helpers/ranktable/table_from_inventory.c).
 * Warnings go to standard error when all is well. Returns what devinfo_read()
 * returns, or -1. */
int rows_question_ask(const struct rows_question *question,
		      const struct plan *whole, FILE *rows, struct err *err);

#endif
