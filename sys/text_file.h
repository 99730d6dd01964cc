/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of text, read whole.
 */
#ifndef DT_SYS_TEXT_FILE_H
#define DT_SYS_TEXT_FILE_H

#include "core/base/err.h"

#include <stddef.h>

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

#endif
