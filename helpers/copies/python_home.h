/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python environment that a command runs in, found without running anything
 * of it: by pyvenv.cfg, conda-meta, and the first line of a script. Blocks as
 * long as the file systems do.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#define PYTHON_HOMES 2 /* of an environment, and of the Python below it */

/* The prefixes that `program`, a path, needs. Returns how many; 0: it isn't
 * seen to be Python's. */
unsigned python_homes(const char *program, char ret[PYTHON_HOMES][PATH_MAX]);

/* The program that executes a script: of its first line, looked up along PATH
 * where it is `env NAME`; or of its second one, where the first is sh's that
 * hands over. Returns 0 or -1. */
int script_interpreter(const char *script, char ret[PATH_MAX]);

/* Whether a path lies on a network file system. */
bool is_on_network(const char *path);
