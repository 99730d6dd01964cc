/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/step_find.h"

#include "sys/socket.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <string.h>

struct list {
	char (*ip)[IP_TEXT_SIZE];
	unsigned n;
	bool loopback;
};

/* Addresses with a zone lead nowhere from here. */
static void add(struct list *list, const struct sockaddr *addr, size_t size)
{
	struct sockaddr_storage copy = {.ss_family = AF_UNSPEC};
	char text[IP_TEXT_SIZE];

	if (list->n == NODE_IPS_MAX)
		return;
	memcpy(&copy, addr, size);
	if (host_address_text(&copy, text, sizeof(text)) < 0 ||
	    strchr(text, '%'))
		return;
	for (unsigned i = 0; i < list->n; i++)
		if (!strcmp(list->ip[i], text))
			return;
	list->loopback = list->loopback || host_address_is_loopback(&copy);
	memcpy(list->ip[list->n++], text, sizeof(text));
}

static void add_own(struct list *list, int family, size_t size)
{
	struct ifaddrs *all = NULL;

	if (getifaddrs(&all) < 0)
		return;
	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family == family &&
		    !(i->ifa_flags & IFF_LOOPBACK))
			add(list, i->ifa_addr, size);
	freeifaddrs(all);
}

unsigned node_ips(const char *node_addr, char ret[NODE_IPS_MAX][IP_TEXT_SIZE])
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
	struct list list = {.ip = ret};

	if (getaddrinfo(node_addr, NULL, &hints, &found) != 0)
		return 0;
	for (const struct addrinfo *a = found; a; a = a->ai_next)
		add(&list, a->ai_addr, a->ai_addrlen);
	freeaddrinfo(found);
	if (list.loopback) {
		add_own(&list, AF_INET, sizeof(struct sockaddr_in));
		add_own(&list, AF_INET6, sizeof(struct sockaddr_in6));
	}
	return list.n;
}
