/* SPDX-License-Identifier: Apache-2.0 */
/* What git knows of a program's files. */
#ifndef DT_HELPERS_CODE_CODE_GIT_H
#define DT_HELPERS_CODE_CODE_GIT_H

#include "helpers/code/code_files.h"

/* git's answers. Returns 1: it is in a work tree, and the list is its; 0: it
 * isn't, there is no git, or git doesn't trust the folder; or -1. */
int code_git_list(const char *folder, struct code_list *list, struct err *err);

/* Whether what was kept in the folder `copy` differs from the commit. */
bool code_git_differs(const struct code_list *list, const char *copy);

#endif
