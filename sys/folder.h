/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders by their descriptors: no path is followed twice, so that nobody can
 * put another folder in the place of one that was checked. Nothing here takes
 * memory from the heap: it is safe between fork() and exec(), and a folder of
 * any size costs the same.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Levels of folders that folder_empty() enters. Each one holds a descriptor. */
#define FOLDER_DEPTH_MAX 32

/* Open the folder `name` below `base` to read it, if it is `owner`'s and no
 * link. Returns a descriptor for the caller to close, or -1. */
int folder_open_own(int base, const char *name, uid_t owner);

/* Whether group and others have no right to the folder. */
bool folder_is_private(int fd);

/* Whether others than its owner can't rename what isn't theirs in this folder:
 * they can't write to it, or it has the sticky bit. */
bool folder_keeps_names(int fd);

/* The same, and its owner is root or `user`. */
bool folder_is_safe(int fd, uid_t user);

/* Call `visit` with each name in the folder, without "." and "..". A name that
 * appears or goes meanwhile may be visited or not. */
void folder_each(int fd, void (*visit)(void *arg, int fd, const char *name),
		 void *arg);

/* Remove what is in the folder, as far as this user may: links themselves,
 * never what they lead to; no folder of another owner than this one's, which
 * may have been put here with files of this user; no folder of another file
 * system; nothing below FOLDER_DEPTH_MAX levels. What can't be removed stays.
 */
void folder_empty(int fd);
