/* SPDX-License-Identifier: Apache-2.0 */
/* The program is a file of roles: on each node runs what starts its worlds
 * (helpers/roles). */
#ifndef DT_HELPERS_LAUNCH_START_ROLES_H
#define DT_HELPERS_LAUNCH_START_ROLES_H

#include "core/base/err.h"

#include <limits.h>

struct launch;
struct spawn;

/* What it is to run: its file and argv, which are the caller's. It gets all
 * that we were handed, and its standard input is a socket: from there it has as
 * a first line a word that all nodes have; what it writes there is for the
 * step's record. Returns 0 or -1. */
int roles_start(struct launch *l, struct spawn *s, char file[PATH_MAX],
		char ***ret_argv, struct err *err);

#endif
