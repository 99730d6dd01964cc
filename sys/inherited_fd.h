/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory, and a socket, that the plugin hands to the launcher: the
 * other end of spank/node/hccn_conf.c, spank/node/node_memory_fd.c and
 * spank/node/keepers_socket.c.
 */
#ifndef DT_SYS_INHERITED_FD_H
#define DT_SYS_INHERITED_FD_H

/* Take the file whose descriptor is in the variable `name`, if any:
 * close-on-exec from now on, and gone from the environment. Call it before
 * anything else is opened or started. Returns the descriptor, the caller's to
 * close, or -1. A number that isn't a file in memory with that seal (F_SEAL_*)
 * was set by somebody else and is left alone. */
int inherited_fd_take(const char *name, int seal);

/* The same of a Unix socket for packets (SOCK_SEQPACKET). */
int inherited_socket_take(const char *name);

#endif
