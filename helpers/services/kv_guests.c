/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/services/kv_guests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void end_guest(struct kv_guest *guest)
{
	shutdown(guest->fd, SHUT_RDWR);
	guest->fd = -1;
}

static struct in6_addr address_of(const struct sockaddr *from)
{
	const struct sockaddr_in6 *six = (const void *)from;
	const struct sockaddr_in *four = (const void *)from;
	struct in6_addr addr = {0};

	if (from->sa_family == AF_INET6)
		addr = six->sin6_addr;
	else if (from->sa_family == AF_INET)
		memcpy(&addr, &four->sin_addr, sizeof(four->sin_addr));
	return addr;
}

/* End the oldest one where there are too many, of this address or in all. */
static void make_room(struct kv_guests *guests, const struct in6_addr *addr)
{
	struct kv_guest *first = NULL, *neighbour = NULL;
	unsigned n = 0, nneighbours = 0;

	for (struct kv_guest *g = guests->first; g; g = g->next) {
		if (g->fd < 0)
			continue;
		if (!n++)
			first = g;
		if (memcmp(&g->addr, addr, sizeof(*addr)) != 0)
			continue;
		if (!nneighbours++)
			neighbour = g;
	}
	if (nneighbours >= KV_GUESTS_AT_A_TIME)
		end_guest(neighbour);
	else if (n >= KV_GUESTS_MAX)
		end_guest(first);
}

struct kv_guest *kv_guests_add(struct kv_guests *guests, int fd,
			       const struct sockaddr *from)
{
	struct kv_guest *g = calloc(1, sizeof(*g));

	if (!g) {
		shutdown(fd, SHUT_RDWR);
		return NULL;
	}
	*g = (struct kv_guest){
		.addr = address_of(from),
		.at_ms = now_ms(),
		.fd = fd,
	};
	make_room(guests, &g->addr);
	if (!guests->first)
		guests->end = &guests->first;
	*guests->end = g;
	guests->end = &g->next;
	return g;
}

void kv_guests_welcome(struct kv_guests *guests, struct kv_guest *guest)
{
	struct kv_guest **at = &guests->first;

	while (*at && *at != guest)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = guest->next;
	if (guests->end == &guest->next)
		guests->end = at;
}

void kv_guests_remove(struct kv_guests *guests, struct kv_guest *guest)
{
	if (guest)
		kv_guests_welcome(guests, guest);
	free(guest);
}

int kv_guests_sweep(struct kv_guests *guests)
{
	uint64_t now = now_ms();

	for (struct kv_guest *g = guests->first; g; g = g->next) {
		if (g->fd < 0)
			continue;
		if (now < g->at_ms + KV_GUEST_MS)
			return (int)(g->at_ms + KV_GUEST_MS - now);
		end_guest(g);
	}
	return -1;
}
