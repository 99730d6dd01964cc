/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exit codes with which a program can't be started, as a shell has them: a
 * restart doesn't help.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>

#define EXIT_NOT_RUN   126 /* it can't be executed */
#define EXIT_NOT_FOUND 127 /* it, or its interpreter, isn't there */

static inline bool exit_is_no_start(int code)
{
	return code == EXIT_NOT_RUN || code == EXIT_NOT_FOUND;
}

/* Of an error of execve(). */
static inline int exit_of_exec(int why)
{
	return why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}
