/* SPDX-License-Identifier: Apache-2.0 */
/* The socket of helpers/shim/shim_server.h, at both of its ends. */
#ifndef DT_HELPERS_SHIM_SHIM_SOCKET_H
#define DT_HELPERS_SHIM_SHIM_SOCKET_H

#include "core/base/err.h"

#include <stddef.h>

#define SHIM_SOCKET "shim"

/* The listening socket in `dir`, not blocking, or -1. */
int shim_socket_listen(const char *dir, struct err *err);

/* A connection to that in `dir`, or -1. */
int shim_socket_connect(const char *dir, struct err *err);

/* The command's end: send the request to the launcher that listens in `dir`,
 * with standard output and error, and return the exit code that it answers.
 * Fails when there is none, or when it ends first. */
int shim_call(const char *dir, const char *text, size_t n, struct err *err);

#endif
