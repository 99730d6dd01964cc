/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in a rank table's file of which each may be there once.
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_NAMES_H
#define DT_HELPERS_CLI_RANKTABLE_NAMES_H

#include "helpers/cli/ranktable/table_report.h"

struct name {
	const char *text;
	unsigned at[2]; /* indices of the two lists */
};

/* The names list[].key, or list[].inner[].key where `inner` is set. */
struct names {
	const char *list, *inner, *key;
	const char *remedy;
	bool says_former;  /* the message names the list's former element */
	struct name *name; /* owned; names_report() frees it */
	size_t n, size;
};

/* A name at two indices; NULL isn't one. Returns 0, or -1 out of memory. */
int names_add(struct names *names, const char *text, unsigned a, unsigned b);

/* Report each name that was there before; frees the names. */
void names_report(struct names *names, struct report *r);

#endif
