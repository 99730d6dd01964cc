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
#ifndef DT_CORE_BASE_HOSTLIST_H
#define DT_CORE_BASE_HOSTLIST_H

#include <stddef.h>

#define HOSTLIST_NAME_MAX 256	  /* one name with its NUL */
#define HOSTLIST_MAX	  1000000 /* names of one list */

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

#endif
