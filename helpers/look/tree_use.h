/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row "use" of the sight "status": what a rank's process and all that it
 * has started take, as /proc says. Call it in a child: a process whose memory
 * map is locked makes /proc wait.
 */
#ifndef DT_HELPERS_LOOK_TREE_USE_H
#define DT_HELPERS_LOOK_TREE_USE_H

#include <stdio.h>
#include <sys/types.h>

#define TREE_PROCESSES 1024 /* that are looked at, at most */

/* Below the folder `root` ("" but in tests). There is no row where there is no
 * such process. */
void tree_use_tell(FILE *f, const char *root, unsigned rank, pid_t pid);

#endif
