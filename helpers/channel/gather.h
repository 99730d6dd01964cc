/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One piece from each member, joined in their order when all are there.
 */
#ifndef DT_HELPERS_CHANNEL_GATHER_H
#define DT_HELPERS_CHANNEL_GATHER_H

#include <stdbool.h>
#include <stddef.h>

#define COLLECT_MAX (200UL << 20) /* bytes of all pieces */

struct collect;

/* For n members; NULL when out of memory. */
struct collect *collect_new(unsigned n);
void collect_free(struct collect *collect);

/* Keep a member's piece; a second one is ignored. Returns 1 when it was the
 * last that was missing, 0, or -1 when there is no room. */
int collect_add(struct collect *collect, unsigned member, const char *data,
		size_t n);

/* All pieces and a NUL, for the caller to free; they are forgotten. NULL when
 * out of memory. */
char *collect_join(struct collect *collect, size_t *ret_n);

#endif
