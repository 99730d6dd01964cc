/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of a host list, expanded, for those who look many of them up: a
 * look-up in the list's text costs as much as the whole text. In programs that
 * run as the user only: the memory is that of the names, of up to
 * HOSTLIST_MAX.
 */
#ifndef DT_CORE_BASE_HOSTINDEX_H
#define DT_CORE_BASE_HOSTINDEX_H

#include "core/base/err.h"

struct hostindex_entry {
	const char *name;
	unsigned index; /* of the name in the list */
};

struct hostindex {
	unsigned n;
	const char **name;	       /* in the order of the list */
	struct hostindex_entry *entry; /* in the order of the names */
	char *text;		       /* what the names point into */
};

/* Returns 0; or -1 when the text is no host list, or out of memory. Free with
 * hostindex_clear(). */
int hostindex_make(const char *list, struct hostindex *ret, struct err *err);
void hostindex_clear(struct hostindex *index);

/* The first position of `name`. Returns 0, or -1 when it isn't there. */
int hostindex_find(const struct hostindex *index, const char *name,
		   unsigned *ret);

#endif
