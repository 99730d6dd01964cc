/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listens on the port of a gRPC server that is still to start, so that its
 * clients wait: one that is refused tries again only after a second, then after
 * 1.6, 2.6 and more. Who connects gets the frame by which a gRPC client takes
 * the connection for made (SETTINGS); as soon as another socket listens on the
 * port, the frame by which it connects anew at once and asks again what it has
 * asked (GOAWAY, RFC 9113, 6.8). What clients send isn't read, but dropped at
 * the end.
 *
 * Both sockets have SO_REUSEPORT, as gRPC's servers do by themselves; a server
 * without it can't listen meanwhile. New connections go to the server as soon
 * as it listens, by a filter on this socket.
 *
 * task/early_port.c and helpers/launch run it in a process beside rank 0, as
 * the job's user.
 */
#pragma once

#include <sys/types.h>

/* The listening socket, for the caller to close, or -1: the port is taken, or
 * the kernel can't tell who listens (no sock_diag). */
int early_listener_open(unsigned port);

/* Hold it until another socket listens on its port, the process `owner` has
 * ended, or for five minutes. Blocks; for a process of its own, because it
 * raises the limit of its open files and keeps connections open. */
void early_listener_hold(int fd, unsigned port, pid_t owner);

/* How many sockets of this host (of its network namespace) listen on the TCP
 * port, at whatever address, without the socket `own` (-1: none). One question
 * to the kernel for each of IPv4 and IPv6, over netlink (sock_diag(7)). -1: it
 * doesn't answer that. */
int who_listens(unsigned port, int own);
