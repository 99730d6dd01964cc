/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/socket.h"

#include "core/base/err.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

static bool is_loopback(const struct sockaddr *sa)
{
	const struct sockaddr_in *v4 = (const void *)sa;
	const struct sockaddr_in6 *v6 = (const void *)sa;

	if (sa->sa_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

bool host_is_known(const char *host)
{
	struct sockaddr_storage unused;

	return host && host_address(host, &unused) == 0;
}

bool host_address_is_loopback(const struct sockaddr_storage *addr)
{
	return is_loopback((const void *)addr);
}

int host_address_text(const struct sockaddr_storage *addr, char *ret,
		      unsigned size)
{
	return getnameinfo((const void *)addr, sizeof(*addr), ret, size, NULL,
			   0, NI_NUMERICHOST)
		       ? -1
		       : 0;
}

static const struct addrinfo *choose(const struct addrinfo *list, int family,
				     bool loopback)
{
	for (; list; list = list->ai_next)
		if (list->ai_family == family &&
		    is_loopback(list->ai_addr) == loopback)
			return list;
	return NULL;
}

int host_address(const char *host, struct sockaddr_storage *ret)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	const struct addrinfo *a = NULL;

	if (getaddrinfo(host, NULL, &hints, &list) != 0)
		return -1;
	for (int i = 0; i < 4 && !a; i++)
		a = choose(list, i % 2 ? AF_INET6 : AF_INET, i >= 2);
	memset(ret, 0, sizeof(*ret));
	if (a)
		memcpy(ret, a->ai_addr, a->ai_addrlen);
	freeaddrinfo(list);
	return a ? 0 : -1;
}

int host_address_towards(const struct sockaddr_storage *other, char *ret,
			 unsigned size)
{
	socklen_t len = other->ss_family == AF_INET
				? sizeof(struct sockaddr_in)
				: sizeof(struct sockaddr_in6);
	cleanup_close int fd =
		socket(other->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage own = {0};

	if (fd < 0 || host_address_is_loopback(other) ||
	    connect(fd, (const void *)other, len) < 0 ||
	    getsockname(fd, (struct sockaddr *)&own, &len) < 0 ||
	    host_address_is_loopback(&own))
		return -1;
	return host_address_text(&own, ret, size);
}
