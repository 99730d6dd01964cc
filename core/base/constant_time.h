/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For secrets, where no library for that is linked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether n bytes are equal, in a time that depends on n alone: how long it
 * takes doesn't tell how many bytes were right. */
static inline bool constant_time_equal(const void *a, const void *b, size_t n)
{
	const volatile unsigned char *x = a, *y = b;
	unsigned char differ = 0;

	while (n--)
		differ |= x[n] ^ y[n];
	return !differ;
}
