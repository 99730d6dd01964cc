/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* Where our helper `name` is, a program or a file: in the configured folder,
 * until helper_path_own() was called. A name that doesn't fit is cut: no such
 * file is there. Returns whether it is this very program, which is to be told
 * `name`: as argv[0], or as a first argument --as=NAME. */
bool helper_path(const char *name, char ret_path[PATH_MAX]);

/* From now on they are where this very program is (/proc/self/exe), whatever
 * link it was started by: those for which `is_self` is true (NULL: none) are
 * this program itself, and the others are in `folder`, a path from this
 * program's folder. Without /proc all stays as it was; and so it does for a
 * part of a program that has given `is_self`, and that gives none. */
void helper_path_own(const char *folder, bool (*is_self)(const char *name));
