/* SPDX-License-Identifier: Apache-2.0 */
/* All members say that they are ready, as often as they are asked to. */
#ifndef DT_HELPERS_CHANNEL_START_BARRIER_H
#define DT_HELPERS_CHANNEL_START_BARRIER_H

#include <stdbool.h>

struct barrier {
	unsigned here, times; /* members that wait; how often all have met */
};

/* A member says that it is ready; `*said` counts how often it has said so. A
 * member that says it twice in a round counts once. True for the last of n. */
static inline bool barrier_meet(struct barrier *b, unsigned n, unsigned *said)
{
	if (*said > b->times)
		return false;
	*said = b->times + 1;
	if (++b->here < n)
		return false;
	b->here = 0;
	b->times++;
	return true;
}

#endif
