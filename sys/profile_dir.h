/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The administrator's folder of profiles. Read by slurmstepd as root, and by
 * dist-train as anybody: libc only.
 */
#pragma once

#include "core/base/err.h"

/* The text of the profiles `names`, "NAME[+NAME]...", one after the other,
 * checked line by line; for the caller to free. `dir` NULL: those that are
 * installed with us. NULL, with *err, when the folder or a file isn't there,
 * isn't root's or this process's user's alone to write, or has a line that is
 * wrong. */
char *profile_dir_read(const char *dir, const char *names, struct err *err);
