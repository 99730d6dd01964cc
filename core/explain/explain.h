/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as text for a person: one process with all that it gets, and the whole
 * step as a table. The plugin and the launcher print it for explain=yes and
 * only, `dist-train explain` without a step. Pure, as the rest of core.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/plan/plan.h"

#include <stdbool.h>
#include <stdio.h>

/* Rows of a layout; what is after them is only counted. */
#define EXPLAIN_ROWS_MAX 64

/* One process: who it is, its coordinator, and each variable with its value,
 * where that comes from and what becomes of the user's own. The set may be
 * resolved (then values that are kept or replaced are shown) or not.
 * `differs`, if not NULL, has one element for each of the set's entries: those
 * that are true are marked with a star. Returns lines that end in a newline,
 * for the caller to free; NULL when out of memory. With the frameworks of
 * today it is below 4096 bytes unless the user's values are long, so that one
 * write() of it stays whole. */
char *explain_process(const struct plan *plan, const struct process *process,
		      const struct envset *set, const bool *differs,
		      unsigned flags, struct err *err);

/* The step in one line, without its newline: "ddp: 8 processes, task mode, on
 * 2 nodes", "torchrun: 2 launchers x 2 workers = world size 4, on 2 nodes". */
void explain_put_summary(FILE *f, const struct plan *plan);

/* What happens when a node is lost, for a person: "a spare takes its place,
 * else the step fails". Returns `buf`. */
#define LADDER_SENTENCE_SIZE 256
const char *explain_ladder(const struct ladder *ladder,
			   char buf[LADDER_SENTENCE_SIZE]);

/* The lines of a node that has no place: explain_process() for one without
 * processes. For the caller to free; NULL when out of memory. */
char *explain_spare(const struct plan *plan, struct err *err);

struct explain_row {
	char node[HOSTLIST_NAME_MAX];
	unsigned local_rank;
	struct idlist devices; /* the node's numbers of them */
	enum role role;
	char more[80]; /* behind the role, or "" */
};

/* Tell the row of one rank. Returns 0, or -1 with the error. It is asked
 * twice for each rank that is shown. */
typedef int (*explain_row_fn)(void *arg, unsigned rank, struct explain_row *ret,
			      struct err *err);

/* The step's processes as a table. Returns lines for the caller to free; NULL
 * when out of memory or when `row` fails. */
char *explain_layout(unsigned nprocs, explain_row_fn row, void *arg,
		     struct err *err);

/*
 * A set of variables as text for a person: in groups, each with its value and
 * where that comes from. A part of explain.h for those who have a stream.
 */

/* Flags: also the names that every framework has; bold type by ANSI's codes for
 * what differs or replaces a value. */
#define EXPLAIN_ALL    1u
#define EXPLAIN_COLOUR 2u

/* The groups in which variables are shown, in this order. */
enum explain_group {
	EXPLAIN_OWN,	 /* the framework's, the dialect's, the profile's */
	EXPLAIN_NETWORK, /* interfaces */
	EXPLAIN_DEVICES, /* visible devices, threads */
	EXPLAIN_SLURM,	 /* Slurm's, rewritten */
	EXPLAIN_NEUTRAL, /* DIST_TRAIN_*, the same for every framework */
	EXPLAIN_GROUPS,
};

enum explain_group explain_group_of(const struct plan *plan, const char *name);

/* One line for each variable, below a heading for each group; `differs` is
 * that of explain_process(). A value in JSON has lines of its
 * own. Values are cut, and secrets are not shown. */
void explain_put_env(FILE *f, const struct plan *plan, const struct envset *set,
		     const bool *differs, unsigned flags);

/* A value, cut, and bytes that don't print escaped; NULL is "(unset)". Returns
 * the number of columns. */
int explain_put_value(FILE *f, const char *value);
