/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This host's network interfaces, asked of the kernel: getifaddrs(), and one
 * ioctl each. Opens no file, sends no packet. slurmstepd calls it once per node
 * and step.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/interface.h"

#include <net/if.h>
#include <netinet/in.h>

/* Those that are up and have an address. Returns 0, or -1 when the kernel
 * doesn't tell; *ret is then empty. */
int interfaces_find(struct interfaces *ret);

/* In the container of a step of several nodes: fails where it has no interface
 * but loopback, so that `node`, borrowed, reaches no other node. */
int interfaces_reach_nodes(const char *node, struct err *err);

/*
 * The network interface that routes to an address, asked of the kernel by
 * netlink: no file, no name look-up, nothing that waits for anyone.
 */

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
