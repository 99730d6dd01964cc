/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SYS_EARLY_WHO_LISTENS_H
#define DT_SYS_EARLY_WHO_LISTENS_H

/* How many sockets of this host (of its network namespace) listen on the TCP
 * port, at whatever address, without the socket `own` (-1: none). One question
 * to the kernel for each of IPv4 and IPv6, over netlink (sock_diag(7)). -1: it
 * doesn't answer that. */
int who_listens(unsigned port, int own);

#endif
