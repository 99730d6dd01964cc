/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cleanup by attribute: a variable declared with one of these is released
 * when it leaves its scope, on every path. NULL and -1 are no-ops.
 */
#ifndef DT_CORE_BASE_CLEANUP_H
#define DT_CORE_BASE_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free_fn(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close_fn(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define cleanup_free  __attribute__((cleanup(cleanup_free_fn)))
#define cleanup_close __attribute__((cleanup(cleanup_close_fn)))

#endif
