/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peers that have connected and haven't shown yet who they are, in the
 * order in which they came, with their number for each address that they come
 * from. When there are too many it tells who has to go: one of the address that
 * has the most. So one host, with any number of connections, takes no place
 * from another one. Bookkeeping alone, for connections.c.
 */
#pragma once

#include <netinet/in.h>
#include <stdint.h>

struct connection;
struct newcomer_source;

/* Part of a struct connection. */
struct newcomer {
	struct connection *connection;
	struct newcomer_source *source; /* NULL: it is none any more */
	struct newcomer *next, **prev;
	uint64_t since_ms;
};

/* As {0} before the first. */
struct newcomers {
	struct newcomer *oldest, **last;
	struct newcomer_source *sources, *newest_source;
	unsigned n;
};

/* Where a peer is: as accept() tells. */
union newcomer_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* The newest. Of an IPv6 address the first 64 bits count, for a host has all of
 * the others. Returns 0, or -1 when out of memory. */
int newcomers_add(struct newcomers *all, struct newcomer *newcomer,
		  struct connection *connection,
		  const union newcomer_address *address, uint64_t now_ms);

/* No-op when it was removed before. */
void newcomers_remove(struct newcomers *all, struct newcomer *newcomer);

/* Whose place is given to the newest one, when there is room for `max`: the
 * oldest of the address that has the most. NULL: nobody, for the newcomers are
 * young and of many addresses, as the launchers of a large step are. */
struct newcomer *newcomers_who_goes(const struct newcomers *all, unsigned max,
				    uint64_t now_ms);
