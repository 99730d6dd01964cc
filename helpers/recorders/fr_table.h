/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of fr_read.h of all ranks, as a table to look things up in. */
#ifndef DT_HELPERS_RECORDERS_FR_TABLE_H
#define DT_HELPERS_RECORDERS_FR_TABLE_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
