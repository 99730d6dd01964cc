/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow by one, and those that mostly are in order; lists. */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* One item more, all 0, of an array of `n` whose pointer (NULL at first) is at
 * `array`. Room doubles at each power of 2, so nothing else may grow it. The
 * caller counts. NULL: out of memory, and the array stays as it is. */
static inline void *array_append(void *array, size_t n, size_t size)
{
	char *items, *more;

	memcpy(&items, array, sizeof(items));
	if (!(n & (n - 1))) {
		more = realloc(items, (n ? 2 * n : 1) * size);
		if (!more)
			return NULL;
		items = more;
		memcpy(array, &items, sizeof(items));
	}
	return memset(items + n * size, 0, size);
}

/* qsort() for data that mostly comes in order: a table's ranks, its addresses.
 * One walk finds that out, in a tenth of the time of sorting. Sort `n` items of
 * `size` bytes; `base` may be NULL where n is 0. */
static inline void sort_items(void *base, size_t n, size_t size,
			      int (*compare)(const void *a, const void *b))
{
	const char *item = base;

	for (size_t i = 1; i < n; i++, item += size)
		if (compare(item, item + size) > 0) {
			qsort(base, n, size, compare);
			return;
		}
}

/*
 * Lists of items that are in one list and leave it from anywhere: an item has
 * the members `next` and `prev`, the address of what points to it.
 */

#define LIST_ADD(first, item)                                                  \
	do {                                                                   \
		(item)->next = *(first);                                       \
		(item)->prev = (first);                                        \
		if ((item)->next)                                              \
			(item)->next->prev = &(item)->next;                    \
		*(first) = (item);                                             \
	} while (0)

#define LIST_REMOVE(item)                                                      \
	do {                                                                   \
		*(item)->prev = (item)->next;                                  \
		if ((item)->next)                                              \
			(item)->next->prev = (item)->prev;                     \
	} while (0)
