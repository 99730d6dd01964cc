/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An Ascend rank table, from rows in any order: its rules and its text.
 *
 *	struct ranktable table = {0};
 *	ranktable_add()...	every row of every node
 *	ranktable_check()	the rules; which version it will be
 *	ranktable_text()	the same bytes on every node
 *	ranktable_clear()
 *
 * The rules and where they come from: doc/design/0014-ranktable.md.
 */
#ifndef DT_CORE_ASCEND_RANKTABLE_H
#define DT_CORE_ASCEND_RANKTABLE_H

#include "core/ascend/ranktable_row.h"
#include "core/base/err.h"

#include <stddef.h>

#define RANKTABLE_TEXT_MAX (40UL << 20) /* the library reads no more */

enum ranktable_version {
	RANKTABLE_AUTO, /* 1.2 for a 910C with super pods known, or 1.0 */
	RANKTABLE_1_0,
	RANKTABLE_1_2,
};

struct ranktable {
	struct ranktable_row **row; /* owned; by rank after the check */
	size_t n, size;
	bool numbered; /* server_id in the text: 000000-NAME, in order */
};

/* Add a copy of a row that ranktable_row_parse() returned, or that
 * ranktable_row_check() accepted. Fails when the table is full and out of
 * memory. */
int ranktable_add(struct ranktable *table, const struct ranktable_row *row,
		  struct err *err);

/* Sort the rows and hold every rule of the library that concerns them. The
 * error names the first fault's nodes and devices and the remedy; it is the
 * same in whatever order rows were added. *ret is never RANKTABLE_AUTO. */
int ranktable_check(struct ranktable *table, enum ranktable_version asked,
		    enum ranktable_version *ret, struct err *err);

/* The table as JSON, NUL at the end, freed by the caller; of a table that
 * ranktable_check() accepted, with the version that it returned. Fails out of
 * memory and above RANKTABLE_TEXT_MAX. */
int ranktable_text(const struct ranktable *table,
		   enum ranktable_version version, char **ret, size_t *ret_len,
		   struct err *err);

/* Questions to a table that is sorted by rank. */

/* The chip of the step: the first that is known. */
enum chip ranktable_chip(const struct ranktable *table);

/* The first row behind the server that begins at `i`. */
size_t ranktable_server_end(const struct ranktable *table, size_t i);

/* How many servers, when each is one run of rows. */
size_t ranktable_nservers(const struct ranktable *table);

void ranktable_clear(struct ranktable *table);

#endif
