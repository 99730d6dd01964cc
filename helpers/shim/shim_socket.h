/* SPDX-License-Identifier: Apache-2.0 */
/* The socket of helpers/shim/shim_server.h, at both of its ends. */
#ifndef DT_HELPERS_SHIM_SHIM_SOCKET_H
#define DT_HELPERS_SHIM_SHIM_SOCKET_H

#include "core/base/err.h"

/* The listening socket in `dir`, not blocking, or -1. */
int shim_socket_listen(const char *dir, struct err *err);

/* A connection to that in `dir`, or -1. */
int shim_socket_connect(const char *dir, struct err *err);

#endif
