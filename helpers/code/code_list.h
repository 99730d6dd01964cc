/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are a program's own: of a git work tree all but the ignored ones
 * (code_git.h), else those of its folder.
 */
#ifndef DT_HELPERS_CODE_CODE_LIST_H
#define DT_HELPERS_CODE_CODE_LIST_H

#include "helpers/code/code_files.h"

/* The files of the program `file`, or of the module in this folder where that
 * is "". Both are absolute and without links. Free with code_list_clear().
 * Returns 0 or -1. */
int code_list_make(const char *folder, const char *file, struct code_list *ret,
		   struct err *err);

#endif
