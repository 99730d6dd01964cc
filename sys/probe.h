/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ask a program or a library that may hang: in a process of its own, which is
 * killed when its time is over.
 */
#ifndef DT_SYS_PROBE_H
#define DT_SYS_PROBE_H

#include "core/base/err.h"

#include <stddef.h>

/* Run child(arg) in a forked process with an empty standard input, gather what
 * it writes to stdout and stderr, as text without NUL bytes and as far as it
 * fits, and wait for its end; it ends when `child` returns. Returns 0, or -1
 * when it couldn't be started or didn't end within limit_ms: it and its
 * children of the same process group have been sent SIGKILL then, and a process
 * that even that doesn't end (a driver's call) is left behind. */
int probe_run(void (*child)(const void *arg), const void *arg, int limit_ms,
	      char *buf, size_t size, struct err *err);

/* The same for a program; `argv` is NULL-terminated, argv[0] its path. */
int probe_exec(const char *const argv[], int limit_ms, char *buf, size_t size,
	       struct err *err);

#endif
