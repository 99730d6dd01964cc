/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that others read: all of it or what was there before.
 */
#ifndef DT_SYS_WRITE_FILE_H
#define DT_SYS_WRITE_FILE_H

#include "core/base/err.h"

#include <stddef.h>
#include <sys/types.h>

/* Write `path` under a temporary name beside it, with exactly this mode, then
 * rename it. Durable: it is on the disk before, also if the node loses power;
 * that may take seconds where other jobs write. Returns 0, or -1 with nothing
 * left behind. */
int write_file(const char *path, const char *text, size_t len, mode_t mode,
	       struct err *err);
int write_file_durable(const char *path, const char *text, size_t len,
		       mode_t mode, struct err *err);

#endif
