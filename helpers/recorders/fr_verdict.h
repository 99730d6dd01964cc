/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rank holds up a step, from what the dumps of its ranks say (fr_read.h).
 * Pure: for the launcher that looks for a hang, and for a command.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --- the rows of fr_read.h of all ranks, as a table to look things up in ---
 */

struct fr_dump {
	unsigned rank;
	bool lost; /* entries, from its ring buffer */
};

struct fr_group {
	unsigned rank;
	const char *name, *desc, *ranks;
	long long done, entered;
};

struct fr_op {
	unsigned rank;
	bool p2p, done;
	long long number;
	const char *group, *op, *sizes, *file;
	long line;
};

/* Each array is sorted by fr_table_sort(): by group, rank, number. */
struct fr_table {
	char **text; /* which the rows are in */
	size_t ntexts;
	struct fr_dump *dump;
	size_t ndumps;
	struct fr_group *group;
	size_t ngroups;
	struct fr_op *op;
	size_t nops;
};

/* NULL when out of memory. */
struct fr_table *fr_table_new(void);
void fr_table_free(struct fr_table *v);

/* Add a launcher's rows; those of other kinds are passed over. Returns 0, or -1
 * when out of memory. */
int fr_table_add(struct fr_table *v, const char *rows, struct err *err);

/* How many ranks' dumps are there. */
unsigned fr_table_ndumps(const struct fr_table *v);

/* Before anything is looked up. */
void fr_table_sort(struct fr_table *v);

/* The rank's collective of that number in the group, or NULL. */
const struct fr_op *fr_find_op(const struct fr_table *v, const char *group,
			       unsigned rank, long long number);

/* Whether the rank waits in something of another group. */
bool fr_waits_outside(const struct fr_table *v, unsigned rank,
		      const char *group);

/* Whether the rank is of that group, as far as the dump tells. */
bool fr_group_has(const struct fr_group *group, unsigned rank);

/* --- what follows from them --- */

enum fr_finding_kind {
	FR_LATE,     /* `ranks` never entered it, `waiting` do wait in it */
	FR_MISMATCH, /* `ranks` are in another one than `waiting` */
	FR_TOGETHER, /* all are in it: no rank holds it up */
	FR_P2P,	     /* `ranks` wait in a send or recv */
};

/* All is borrowed. Ranks are as in "0-2,7"; `file` "": not known. */
struct fr_finding {
	enum fr_finding_kind kind;
	const char *group, *desc;
	long long number;
	const char *op, *other_op; /* FR_MISMATCH: of `ranks` */
	const char *sizes, *other_sizes;
	const char *ranks, *waiting;
	unsigned nranks, nwaiting;
	const char *file, *other_file; /* of `waiting`; of `ranks`, where they
					  are, or were last, in this group */
	long line, other_line;
	bool derived; /* the late ranks wait in another group, for others */
};

/* Call `found` with each finding, what holds up the others first; at most
 * FR_FINDINGS_MAX. Returns how many, or -1 when out of memory. */
#define FR_FINDINGS_MAX 16
int fr_verdict_find(struct fr_table *verdict,
		    void (*found)(void *arg, const struct fr_finding *finding),
		    void *arg, struct err *err);

/* A finding as one line, without a newline, such as
 * "rank 3 never entered collective 1288 (all_reduce, group 0); ...". */
void fr_finding_print(const struct fr_finding *finding, FILE *f);
