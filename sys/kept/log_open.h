/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open a file that the user has named (log-dir, timeline, record,
 * progress-file), where other users may have prepared its folder.
 *
 * A folder is shared where somebody else than this user and root may make
 * names: it is another user's, or group or others may write to it. A user's own
 * group is no exception, for only a look-up of names could tell it; what an ACL
 * allows to others is in the mode's bits of the group.
 */
#pragma once

#include "core/base/err.h"

/* Open the file `path` for appending; folders that are missing are made. It is
 * a regular file or a character device (a terminal, /dev/null); a pipe or a
 * socket is refused, and opening doesn't wait for a reader. In a shared folder
 * no symbolic link is followed, and a file that belongs to another user than
 * root or that has a second name (hard link) is refused.
 * `key` is for the error, which names the file. Returns the file descriptor,
 * close-on-exec and blocking, for the caller to close; or -1. */
int log_open(const char *key, const char *path, struct err *err);

/* The folder `path` alone, which is made if it is missing, with the same rules
 * for those on the way. Returns a descriptor (O_PATH) for the caller to close,
 * or -1. */
int log_folder_open(const char *key, const char *path, struct err *err);

/* The file `path` for reading, with the same rules; nothing is made, and a
 * character device is refused, too. */
int log_open_to_read(const char *key, const char *path, struct err *err);

/* The folder of the file `path`, with the same rules; nothing is made.
 * *ret_name, in `path`, is the file's name. Returns a descriptor (O_PATH) for
 * the caller to close, or -1. */
int log_folder_of(const char *key, const char *path, const char **ret_name,
		  struct err *err);
