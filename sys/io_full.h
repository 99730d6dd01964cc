/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that is to be read or written, however many calls that takes.
 */
#ifndef DT_SYS_IO_FULL_H
#define DT_SYS_IO_FULL_H

#include <sys/types.h>

/* Read a file from its start: `size` bytes, or fewer when it ends before.
 * Returns how many, or -1 with errno. */
ssize_t read_full(int fd, char *buf, size_t size);

/* Write `size` bytes. Returns 0, or -1 with errno. */
int write_full(int fd, const char *data, size_t size);

#endif
