/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/ascend: what is known of Ascend NPUs, and the rank table from which
 * their collective library (HCCL) reads which process has which device. Pure:
 * texts and structs come in, texts and structs go out; helpers/npu asks the
 * driver, helpers/ranktable carries rows between the nodes and writes the file.
 *
 *	chip		generations of chips, and what each allows
 *	npu, npu_*	one device; what npu-smi says of it
 *	hccn		its network address, from a configuration file
 *	inventory	a site's file of all devices
 *	ranktable_row	one process and its device, as nodes send it
 *	ranktable	the table: from rows to the text of the file
 *	ranktable_rules	what the library refuses, for a step and for a file
 *
 * A table is made in the launcher, on every node alike:
 *
 *	struct ranktable table = {0};
 *	ranktable_add()...	every row of every node, in any order
 *	ranktable_check()	the rules; which version it will be
 *	ranktable_text()	the same bytes on every node
 *	ranktable_clear()
 *
 * The rules and where they come from: doc/design/core-ascend.md.
 */
#pragma once

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
	size_t n;
	struct ranktable_block *block; /* where rows and their texts lie */
	bool numbered;	    /* server_id in the text: 000000-NAME, in order */
	bool container_ips; /* a container_ip where server_id is an address */
};

/* Add a copy of a row that ranktable_row_parse() returned, or that
 * ranktable_row_check() accepted. Fails when the table is full and out of
 * memory. */
int ranktable_add(struct ranktable *table, const struct ranktable_row *row,
		  struct err *err);

/* Put the rows into the order of their ranks, also in memory. Returns 0, or -1
 * out of memory. For ranktable_check(). */
int ranktable_sort(struct ranktable *table);

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

void ranktable_clear(struct ranktable *table);
