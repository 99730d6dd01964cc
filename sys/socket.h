/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TCP sockets as srun, slurmstepd and the launchers all need them.
 */
#ifndef DT_SYS_SOCKET_H
#define DT_SYS_SOCKET_H

/* A listening, non-blocking socket on that port (0: any free one) of all
 * addresses: IPv4 and IPv6, or IPv4 alone where the host has no IPv6. A port
 * that only finished connections hold is taken. Returns the descriptor for the
 * caller to close, or -1 with errno. */
int socket_listen(unsigned port, int backlog);

/* Let the kernel ask after a connection's other end, so that it is known
 * within `lease_s` seconds when that host is gone: silence for a third of it,
 * then two questions a third apart. */
void socket_keepalive(int fd, long lease_s);

/* One of setsockopt()'s switches or numbers; what a kernel lacks is left. */
void socket_set(int fd, int level, int option, int value);

#endif
