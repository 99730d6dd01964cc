/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's host-list syntax, "node[001-003,7],login": read in place, never
 * expanded as a whole. Slurm's own code can't be used where this is needed
 * (in a container without Slurm, in helpers that serve several releases); the
 * cluster suite compares it with `scontrol show hostnames`.
 *
 * Several bracket groups in a name multiply, the last running fastest. Text
 * may follow the last bracket, which Slurm takes since 24.11 or earlier.
 */
#pragma once

#include "core/base/err.h"

#define HOSTLIST_NAME_MAX   256	    /* one name with its NUL */
#define HOSTLIST_DIGITS_MAX 10	    /* of a number in it */
#define HOSTLIST_MAX	    1000000 /* names of one list */

/* How many names. Returns 0, or -1 when the text is no host list. */
int hostlist_count(const char *text, unsigned *ret);

/* The name at `index`. Returns 0, or -1 (no host list, or shorter). What is
 * behind the name may be anything: for the first name nothing else is read. */
int hostlist_nth(const char *text, unsigned index, char ret[HOSTLIST_NAME_MAX]);

/* Tell each name in turn. Returns 0, or -1: no host list, or `each` has
 * returned something else than 0. The cost is that of the names. */
int hostlist_each(const char *text, int (*each)(void *arg, const char *name),
		  void *arg);

/* The position of `name`. Returns 0, or -1 when it isn't there. */
int hostlist_find(const char *text, const char *name, unsigned *ret);

/*
 * The names of a host list, expanded, for those who look many of them up: a
 * look-up in the list's text costs as much as the whole text. In programs that
 * run as the user only: the memory is that of the names, of up to
 * HOSTLIST_MAX.
 */

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

/*
 * The names of a host list as an array, and back, for those who put nodes into
 * another order. The memory is that of the names.
 */

/* The `n` names of a list, in its order; NULL ends the array. NULL when the
 * text isn't a list of so many names, or out of memory. Free with
 * hostnames_free(). */
char **hostnames_make(const char *list, unsigned n);
void hostnames_free(char **names);

/* A list of these names in this order, "node[1-3,7],login", for the caller to
 * free; NULL: out of memory. */
char *hostnames_text(char *const *names, unsigned n);
