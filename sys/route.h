/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network interface that routes to an address, asked of the kernel by
 * netlink: no file, no name look-up, nothing that waits for anyone.
 */
#ifndef DT_SYS_ROUTE_H
#define DT_SYS_ROUTE_H

#include <net/if.h>
#include <netinet/in.h>

/* The interface by which this node reaches `ip` (IPv4 or IPv6 text); for one
 * of its own addresses, the interface that has it. Returns 0, or -1 when `ip`
 * is no address or there is no route. */
int route_interface(const char *ip, char ret[IF_NAMESIZE]);

/* Where the processes of one node meet. */
#define ROUTE_LOOPBACK "127.0.0.1"

/* A route that was asked for once, for all tasks of a node. */
struct route {
	char ip[INET6_ADDRSTRLEN];
	char interface[IF_NAMESIZE]; /* empty: none */
	char own[INET6_ADDRSTRLEN];  /* this node's address on it; empty: it
					wasn't asked for */
};

/* All but the node's own address. */
void route_find(const char *ip, struct route *ret);

/* The first address of an interface as text, IPv4 before IPv6 (no link-local
 * ones). Returns 0 or -1. */
int route_address_of(const char *interface, char *ret, unsigned size);

#endif
