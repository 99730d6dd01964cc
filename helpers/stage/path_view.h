/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the kernel lets nobody mount: processes are pointed at the copies. What
 * this process's environment says of their paths (PATH, Python's and the
 * linker's) names the copies instead, and so does the program that is started:
 * sys.prefix follows from where an interpreter lies. Paths that programs have
 * inside, as a console script's first line, stay.
 */
#pragma once

#include "sys/child.h"

#include <limits.h>

struct path_pair {
	const char *from, *to;
};

/* Change this process's environment. Returns 0, or -1 when out of memory. */
int path_view_env(const struct path_pair *pairs, unsigned n);

/* Let a child execute the copy of its program; a script of a staged Python by
 * the copy of that. `file` and *ret_argv, for the caller to free, have to stay
 * until it is started. Returns 0, or -1 when out of memory. */
int path_view_command(const struct path_pair *pairs, unsigned n,
		      struct child *child, char file[PATH_MAX],
		      char ***ret_argv);
