/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in rising order, such as a group's ranks, as a text: "0-4,6". */
#ifndef DT_CORE_BASE_RANGES_H
#define DT_CORE_BASE_RANGES_H

#include <stddef.h>

/* Write the `n` numbers that `number` tells; one may come more than once.
 * Returns 0, or -1 when they don't fit: the text ends with "..." then, after a
 * whole number. */
int ranges_text(char *buf, size_t size, size_t n,
		long (*number)(const void *arg, size_t i), const void *arg);

#endif
