/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first node's end of the check whether the other nodes reach it: reads
 * REACH_BLOCK bytes from each caller and answers with one. Anybody may call, so
 * all are served by one process, and only so many at a time: a further one ends
 * the oldest that says nothing. For names_routes.c.
 */
#ifndef DT_HELPERS_CLI_DOCTOR_REACH_SERVER_H
#define DT_HELPERS_CLI_DOCTOR_REACH_SERVER_H

#include "core/base/err.h"

#define REACH_BLOCK (256 << 10) /* bytes; more than any packet */

/* Serve from the listening socket `fd`, which stays the caller's; a caller that
 * is silent for idle_ms is dropped. Doesn't return but with -1, when it can't
 * begin: the process's alarm or the end of its parent ends it. */
int reach_server_run(int fd, unsigned idle_ms, struct err *err);

#endif
