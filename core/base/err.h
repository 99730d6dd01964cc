/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One error: made once, worded once, logged once.
 *
 * A function that can fail takes a struct err * last, fills it and returns
 * -1 (or NULL). The text is one line without a newline or a prefix; it says
 * what was asked, what was found and what would work.
 *
 * This is the first header of core/base, the small tools that all other rooms
 * use: errors and clean-up (err), reading of numbers and words (parse,
 * unknown_word), texts made of parts (text), addresses (ip, endpoint), lists
 * that Slurm writes (hostlist, idlist, runlength), sets of CPUs (idset), the
 * arguments and the environment of a process to be (argset, envset).
 * Everything here is pure: memory and text of libc, no file, no clock, no log,
 * no environment of this process. It runs wherever the plugin or a helper runs.
 */
#pragma once

#include <stdlib.h>
#include <unistd.h>

struct err {
	char text[1024];
};

/* Always returns -1, so that `return err_printf(err, ...)` is the whole path.
 * A text too long for the struct is cut, and each byte that isn't printable
 * ASCII becomes a '?'. */
int err_printf(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The error for a failed allocation. Returns -1. */
int err_memory(struct err *err);

/* The same for who returns a pointer: NULL. */
void *err_memory_null(struct err *err);

/*
 * Cleanup by attribute: a variable declared with one of these is released
 * when it leaves its scope, on every path. NULL and -1 are no-ops.
 */

static inline void cleanup_free_fn(void *p)
{
	free(*(void **)p);
}

/* Also for who closes it before. */
static inline void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

#define cleanup_free  __attribute__((cleanup(cleanup_free_fn)))
#define cleanup_close __attribute__((cleanup(close_fd)))
