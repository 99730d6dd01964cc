/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TYPE (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Returns -1 with errno as it was. */
static int close_failed(int fd)
{
	int why = errno;

	close(fd);
	errno = why;
	return -1;
}

/* The port has the same offset for IPv4 and IPv6. If the kernel chooses the
 * port, it must not choose one on which another socket is about to listen. */
static int listen_at(const union address *a, socklen_t len, int backlog)
{
	int fd = socket(a->any.sa_family, TYPE, 0);

	if (fd < 0)
		return -1;
	socket_set(fd, SOL_SOCKET, SO_REUSEADDR, a->v6.sin6_port != 0);
	if (a->any.sa_family == AF_INET6)
		socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(fd, &a->any, len) == 0 && listen(fd, backlog) == 0)
		return fd;
	return close_failed(fd);
}

/* The host doesn't have the address, or none of its family. */
static bool is_not_ours(int why)
{
	return why == EAFNOSUPPORT || why == EADDRNOTAVAIL;
}

static int listen_everywhere(unsigned port, int backlog)
{
	unsigned short number = htons((unsigned short)port);
	union address v6 = {.v6 = {.sin6_family = AF_INET6,
				   .sin6_port = number,
				   .sin6_addr = in6addr_any}};
	union address v4 = {.v4 = {.sin_family = AF_INET, .sin_port = number}};
	int fd = listen_at(&v6, sizeof(v6.v6), backlog);

	if (fd < 0 && is_not_ours(errno))
		fd = listen_at(&v4, sizeof(v4.v4), backlog);
	return fd;
}

/* Returns its length, or 0 when the text is no address. */
static socklen_t read_address(const char *ip, unsigned port, union address *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, ip, &ret->v4.sin_addr) == 1) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = htons((unsigned short)port);
		return sizeof(ret->v4);
	}
	if (inet_pton(AF_INET6, ip, &ret->v6.sin6_addr) == 1) {
		ret->v6.sin6_family = AF_INET6;
		ret->v6.sin6_port = htons((unsigned short)port);
		return sizeof(ret->v6);
	}
	errno = EINVAL;
	return 0;
}

int socket_listen(const char *ip, unsigned port, int backlog)
{
	union address address;
	socklen_t len = ip ? read_address(ip, port, &address) : 0;
	int fd = len ? listen_at(&address, len, backlog) : -1;

	if (!len || (fd < 0 && is_not_ours(errno)))
		return listen_everywhere(port, backlog);
	return fd;
}

int socket_connect(const char *ip, unsigned port)
{
	union address address;
	socklen_t len = read_address(ip, port, &address);
	int fd = len ? socket(address.any.sa_family, TYPE, 0) : -1;

	if (fd < 0)
		return -1;
	if (connect(fd, &address.any, len) < 0 && errno != EINPROGRESS)
		return close_failed(fd);
	return fd;
}

int socket_error(int fd)
{
	int why = 0;
	socklen_t len = sizeof(why);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) < 0)
		return errno;
	return why;
}

void socket_set(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, &value, sizeof(value));
}

void socket_keepalive(int fd, long lease_s)
{
	int third = lease_s < 3 ? 1 : (int)(lease_s / 3);

	socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, third);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, third);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, 2);
}

/* Data that stays unacknowledged for the whole lease ends the connection too.
 */
void socket_lease(int fd, long lease_s)
{
	socket_keepalive(fd, lease_s);
	socket_set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)lease_s * 1000);
	socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}
