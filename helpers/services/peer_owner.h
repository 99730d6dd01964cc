/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a connection on this host is: a port of 127.0.0.1 is open to all users
 * of the node. The kernel tells it of the other end's socket (sock_diag(7)),
 * before a byte is read.
 */
#ifndef DT_HELPERS_SERVICES_PEER_OWNER_H
#define DT_HELPERS_SERVICES_PEER_OWNER_H

#include <netinet/in.h>
#include <stdbool.h>

struct peer_owner {
	int fd; /* -1: this kernel doesn't tell */
	struct sockaddr_in at;
};

/* For a socket that listens on an IPv4 address of this host. */
void peer_owner_open(struct peer_owner *p, int listen_fd);

/* Whether the other end of a connection to it, which has that address, is this
 * user's or root's, and open; true where the kernel doesn't tell. */
bool peer_owner_is_ours(const struct peer_owner *p,
			const struct sockaddr *from);

void peer_owner_close(struct peer_owner *p);

#endif
