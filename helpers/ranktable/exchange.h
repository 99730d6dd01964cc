/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the launchers of a step learn what only one of them knows: the choice
 * behind the key `exchange` (doc/design/helpers-ranktable.md).
 *
 * helpers/ranktable makes the file of a rank table from the rows of all nodes:
 * local_rows.c		these rows, which the driver is asked for in a child
 * rows_question.c	whose rows a launcher tells, and what it is asked
 * table_from_inventory.c	all rows from a file, without any exchange
 * exchange_pmix.h	the rows of all by Slurm's PMIx
 * ranktable_build.c	rows to the file, which is checked first
 * ranktable_shared.c	one file for launchers that see the same folder, and
 *			the memory that those of a node share
 *
 * helpers/launch calls all of it and carries rows through helpers/channel: here
 * bytes go in and come out. What a valid table is stands in core/ascend.
 * Everything runs in the launcher or its child, as the user.
 */
#pragma once

#include "core/ascend/npu.h"
#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/option/config.h"
#include "core/plan/plan.h"
#include "helpers/npu/devinfo.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Which rows of the rank table this launcher asks the driver for.
 *
 * As a rule those of its own processes. In task mode a node has a launcher for
 * each task, and a driver's library takes its time to start: there the node's
 * first launcher asks once for all tasks of the node, and the others say
 * nothing. That needs no word between them, for all decide by the same facts.
 */

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

/* --- who tells them --- */

enum exchange_way {
	EXCHANGE_BY_CHANNEL, /* through task 0's launcher
			     (helpers/channel/session.h) */
	EXCHANGE_BY_PMIX,    /* helpers/ranktable/exchange_pmix.h */
	EXCHANGE_BY_SELF,    /* not at all:
				helpers/ranktable/table_from_inventory.c */
};

/* Choose for this step. `split` says why its launchers can't meet, or is NULL
 * when they can. All launchers of a step choose the same. Fails when what was
 * asked for, or with `auto` everything, can't be had; the error says what
 * would work. */
int exchange_choose(const struct plan *plan, const struct config *config,
		    const char *split, enum exchange_way *ret, struct err *err);

/*
 * This launcher's rows of the rank table. A driver may take its time or hang:
 * its library is asked in a child. Where its answers say all, the rows are made
 * of them here; else in one more child, which asks the driver's tools.
 */

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
 * rows are those of the whole step (helpers/ranktable/table_from_inventory.c).
 * Returns 0 or -1. */
int local_rows_begin(struct local_rows *r, const struct plan *plan,
		     const struct config *config,
		     const struct rows_wanted *wanted, int hccn_fd, bool all,
		     struct err *err);

void local_rows_close(struct local_rows *r);

/*
 * Ranks for rows that nodes have told once, for whatever world may come: each
 * row has, in the place of a rank, the number of its process on its node.
 */

/* The plan's world. */
struct row_ranks {
	struct hostindex nodes;
	struct {
		unsigned first, n; /* ranks */
	} * node;		   /* by place */
	unsigned ngiven;
};

/* Returns 0; or -1 when the world's nodes or places aren't known. Free with
 * row_ranks_clear(). */
int row_ranks_make(const struct plan *plan, struct row_ranks *ret,
		   struct err *err);
void row_ranks_clear(struct row_ranks *ranks);

/*
 * The step's rank table: from the rows of all tasks, the same bytes on every
 * node.
 */

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

/*
 * The rows of all of a step's processes, computed by each launcher for itself:
 * from the driver where the step is on one node, else from the administrator's
 * inventory and from what srun has told of every node's devices.
 */

/* Takes one row; `address` is the node's, or NULL. Returns 0 or -1. */
typedef int put_row_fn(void *arg, unsigned rank, const char *node,
		       const char *address, const struct npu *npu,
		       struct err *err);

/* What the driver tells of the devices that this launcher speaks for. */
struct own_npus {
	unsigned n;
	const unsigned *rank;  /* of each; borrowed */
	const struct npu *npu; /* the same */
};

/* All rows in the order of ranks, the same on every node. Fails when the places
 * or devices of the other nodes aren't known, when the inventory lacks one of
 * them, and when this node isn't as the others will think it is. */
int table_from_inventory(const struct plan *plan,
			 const struct devinfo_options *options,
			 const struct own_npus *own, put_row_fn *put, void *arg,
			 struct err *err);
