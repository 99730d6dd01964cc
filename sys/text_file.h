/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of text, read whole.
 */
#pragma once

#include "core/base/err.h"

#include <stddef.h>
#include <sys/types.h>

/* Read a regular file of at most `max` bytes; the text is the caller's to
 * free. NULL with the file's name and the reason in the error: it can't be
 * read, is no regular file, is larger, or holds NUL bytes. */
char *text_file_read(const char *path, size_t max, struct err *err);

/* The same from an open file, from its start on; `name` is for the error. The
 * descriptor stays open. */
char *text_file_read_fd(int fd, const char *name, size_t max, struct err *err);

/* All of what `path` gives until its end: a file, a pipe, "-" for standard
 * input. At most `max` bytes; the text is the caller's to free. NULL with the
 * name and the reason in the error: it can't be read, is larger, or holds NUL
 * bytes. For programs that their user waits for: it blocks. */
char *text_stream_read(const char *path, size_t max, struct err *err);

/*
 * All that is to be read or written, however many calls that takes.
 */

/* Read a file from its start: `size` bytes, or fewer when it ends before.
 * Returns how many, or -1 with errno. */
ssize_t read_full(int fd, char *buf, size_t size);

/* All that comes until the end, for the caller to free, with a NUL behind it:
 * up to `max` bytes, or one more, which says that there are too many. NULL with
 * errno. */
char *read_to_end(int fd, size_t max, size_t *ret_len);

/* Write `size` bytes. Returns 0, or -1 with errno. */
int write_full(int fd, const char *data, size_t size);

/*
 * A file that others read: all of it or what was there before.
 */

/* Write `path` under a temporary name beside it, with exactly this mode, then
 * rename it. Durable: it is on the disk before, also if the node loses power;
 * that may take seconds where other jobs write. Returns 0, or -1 with nothing
 * left behind. */
int write_file(const char *path, const char *text, size_t len, mode_t mode,
	       struct err *err);
int write_file_durable(const char *path, const char *text, size_t len,
		       mode_t mode, struct err *err);
