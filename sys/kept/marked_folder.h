/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder that says by itself that it is the very one that was made. Its name
 * proves nothing, nor does its owner: who may write to a folder of another
 * user's can move it to any name. So its maker leaves a mark in it, which only
 * he can make (a link of his) and which fits this folder alone (its inode, and
 * the node by name). Its device is that of the folder in which it was made.
 * Like folder.h it takes no memory from the heap.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Mark this folder of ours, when nobody else can write to it. Returns 0 or -1
 * (errno is set); without a mark it is never removed by the next one. */
int marked_folder_mark(int fd);

/* Remove the folder `name` of `base` with all that is in it, if it is
 * `owner`'s, marked by him on this node, in no other file system than `base`
 * and open to nobody else. Returns false, and does nothing, only if it is in
 * use: somebody has a lock on it (flock). */
bool marked_folder_remove(int base, const char *name, uid_t owner);
