/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rank holds up a step, from what the dumps of its ranks say (fr_read.h).
 * Pure: for the launcher that looks for a hang, and for a command.
 */
#ifndef DT_HELPERS_RECORDERS_FR_VERDICT_H
#define DT_HELPERS_RECORDERS_FR_VERDICT_H

#include "helpers/recorders/fr_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/* Ranks in rising order, of a step of any size. */

struct fr_ranks {
	unsigned *rank; /* freed by who has it */
	size_t n;
};

/* Keeps the order; a rank that is there isn't added again. false: out of
 * memory. */
bool fr_ranks_add(struct fr_ranks *ranks, unsigned rank);

/* "0-2,7"; what is longer than 200 bytes ends with "...". NULL: out of
 * memory; else freed by the caller. */
char *fr_ranks_text(const struct fr_ranks *ranks);

#endif
