/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open a file that the user has named for output (log-dir, timeline), where
 * other users may have prepared its folder.
 */
#ifndef DT_SYS_LOG_OPEN_H
#define DT_SYS_LOG_OPEN_H

#include "core/base/err.h"

/* Open the file `path` for appending; folders that are missing are made. It is
 * a regular file or a character device (a terminal, /dev/null); a pipe or a
 * socket is refused, and opening doesn't wait for a reader. In a folder that
 * everybody may write to no symbolic link is followed, and a file that belongs
 * to another user than root or that has a second name (hard link) is refused.
 * `key` is for the error, which names the file. Returns the file descriptor,
 * close-on-exec and blocking, for the caller to close; or -1. */
int log_open(const char *key, const char *path, struct err *err);

/* The folder `path` alone, which is made if it is missing, with the same rules
 * for those on the way. Returns a descriptor (O_PATH) for the caller to close,
 * or -1. */
int log_folder_open(const char *key, const char *path, struct err *err);

#endif
