/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One piece from each member, joined in their order when all are there.
 */
#ifndef DT_HELPERS_CHANNEL_GATHER_H
#define DT_HELPERS_CHANNEL_GATHER_H

#include <stdbool.h>
#include <stddef.h>

#define GATHER_MAX (200UL << 20) /* bytes of all pieces */

struct gather;

/* For n members; NULL when out of memory. */
struct gather *gather_new(unsigned n);
void gather_free(struct gather *gather);

/* Keep a member's piece; a second one is ignored. Returns 1 when it was the
 * last that was missing, 0, or -1 when there is no room. */
int gather_add(struct gather *gather, unsigned member, const char *data,
	       size_t n);

/* All pieces and a NUL, for the caller to free; they are forgotten. NULL when
 * out of memory. */
char *gather_join(struct gather *gather, size_t *ret_n);

#endif
