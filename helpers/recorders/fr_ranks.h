/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks in rising order, of a step of any size. */
#ifndef DT_HELPERS_RECORDERS_FR_RANKS_H
#define DT_HELPERS_RECORDERS_FR_RANKS_H

#include <stdbool.h>
#include <stddef.h>

struct fr_ranks {
	unsigned *rank; /* freed by who has it */
	size_t n, room;
};

/* Keeps the order; a rank that is there isn't added again. false: out of
 * memory. */
bool fr_ranks_add(struct fr_ranks *ranks, unsigned rank);

/* "0-2,7"; what is longer than 200 bytes ends with "...". NULL: out of
 * memory; else freed by the caller. */
char *fr_ranks_text(const struct fr_ranks *ranks);

#endif
