/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TCP between a step's launchers and to srun: IP addresses only, never a name.
 */
#ifndef DT_SYS_NET_H
#define DT_SYS_NET_H

#include "core/base/err.h"

/* A listening, non-blocking socket on that port of all addresses, or -1 with
 * errno. */
int net_listen(unsigned port);

/* A non-blocking socket that connects to the address, or -1 with errno; the
 * connection may still be on its way. */
int net_connect(const char *ip, unsigned port);

/* What became of the connection: 0 or an errno. */
int net_error(int fd);

/* Let the kernel find out within `lease_s` seconds that the other host is
 * gone or cut off, without a word from either program: one that is stopped
 * (SIGSTOP) still counts as alive. */
void net_lease(int fd, long lease_s);

#endif
