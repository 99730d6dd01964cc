/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher of the user's, such as mpirun, needs to reach the nodes of
 * the step: lists of them, and a program that looks like ssh.
 */
#ifndef DT_HELPERS_FILES_HOST_FILES_H
#define DT_HELPERS_FILES_HOST_FILES_H

#include "core/base/err.h"
#include "core/plan/plan.h"

#include <limits.h>

struct host_files {
	char hosts[PATH_MAX], machines[PATH_MAX]; /* "": not made */
	char rsh[PATH_MAX + 16];		  /* the stand-in for ssh */
};

/* Make them in `dir`, and a link `ssh` to the stand-in. Fails when the nodes
 * aren't known, a file can't be written, or the stand-in isn't installed. */
int host_files_make(const char *dir, const struct plan *plan,
		    struct host_files *ret, struct err *err);

/* Put their names into the plan, if they were made. */
void host_files_tell(const struct host_files *files, struct plan *plan);

#endif
