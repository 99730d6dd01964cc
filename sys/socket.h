/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TCP sockets as srun, slurmstepd and the helpers need them: IP addresses only,
 * never a name.
 */
#ifndef DT_SYS_SOCKET_H
#define DT_SYS_SOCKET_H

/* A listening, non-blocking socket on that port (0: any free one) of the
 * address `ip`. Where this host doesn't have that address, and for NULL, it is
 * on all addresses: IPv4 and IPv6, or IPv4 alone where the host has no IPv6. A
 * port that only finished connections hold is taken. Returns the descriptor for
 * the caller to close, or -1 with errno. */
int socket_listen(const char *ip, unsigned port, int backlog);

/* A non-blocking socket that connects to the address, or -1 with errno; the
 * connection may still be on its way. */
int socket_connect(const char *ip, unsigned port);

/* What became of the connection: 0 or an errno. */
int socket_error(int fd);

/* Let the kernel ask after a connection's other end, so that it is known
 * within `lease_s` seconds when that host is gone: silence for a third of it,
 * then two questions a third apart. */
void socket_keepalive(int fd, long lease_s);

/* The same for data on the way, too: what stays unacknowledged for the lease
 * ends the connection. A program that is stopped (SIGSTOP) counts as alive. */
void socket_lease(int fd, long lease_s);

/* One of setsockopt()'s switches or numbers; what a kernel lacks is left. */
void socket_set(int fd, int level, int option, int value);

#endif
