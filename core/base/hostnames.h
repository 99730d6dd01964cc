/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of a host list as an array, and back, for those who put nodes into
 * another order. The memory is that of the names.
 */
#ifndef DT_CORE_BASE_HOSTNAMES_H
#define DT_CORE_BASE_HOSTNAMES_H

/* The `n` names of a list, in its order; NULL ends the array. NULL when the
 * text isn't a list of so many names, or out of memory. Free with
 * hostnames_free(). */
char **hostnames_make(const char *list, unsigned n);
void hostnames_free(char **names);

/* A list of these names in this order, "node[1-3,7],login", for the caller to
 * free; NULL: out of memory. */
char *hostnames_text(char *const *names, unsigned n);

#endif
