/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host's address by its name, and this host's own towards another one.
 * Loopback addresses, which a host's own name often has, are found last.
 */
#ifndef DT_SYS_HOST_ADDRESS_H
#define DT_SYS_HOST_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/* By the resolver, for which it waits: IPv4 before IPv6, a loopback address
 * only if there is no other. Returns 0 or -1. */
int host_address(const char *host, struct sockaddr_storage *ret);

bool host_address_is_loopback(const struct sockaddr_storage *addr);

/* Returns 0 or -1. */
int host_address_text(const struct sockaddr_storage *addr, char *ret,
		      unsigned size);

/* The local address by which this host reaches another, as text; never a
 * loopback. No packet is sent. Returns 0 or -1. */
int host_address_towards(const struct sockaddr_storage *other, char *ret,
			 unsigned size);

#endif
