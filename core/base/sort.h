/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qsort() for data that mostly comes in order: a table's ranks, its addresses.
 * One walk finds that out, in a tenth of the time of sorting.
 */
#ifndef DT_CORE_BASE_SORT_H
#define DT_CORE_BASE_SORT_H

#include <stddef.h>
#include <stdlib.h>

/* Sort `n` items of `size` bytes; `base` may be NULL where n is 0. */
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

#endif
