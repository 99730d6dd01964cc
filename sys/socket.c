/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

void socket_set(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, &value, sizeof(value));
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* The port has the same offset for IPv4 and IPv6. If the kernel chooses the
 * port, it must not choose one on which another socket is about to listen. */
static int listen_at(const union address *a, socklen_t len, int backlog)
{
	int fd = socket(a->any.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int why;

	if (fd < 0)
		return -1;
	socket_set(fd, SOL_SOCKET, SO_REUSEADDR, a->v6.sin6_port != 0);
	if (a->any.sa_family == AF_INET6)
		socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(fd, &a->any, len) == 0 && listen(fd, backlog) == 0)
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

int socket_listen(unsigned port, int backlog)
{
	unsigned short number = htons((unsigned short)port);
	union address v6 = {.v6 = {.sin6_family = AF_INET6,
				   .sin6_port = number,
				   .sin6_addr = in6addr_any}};
	union address v4 = {.v4 = {.sin_family = AF_INET, .sin_port = number}};
	int fd = listen_at(&v6, sizeof(v6.v6), backlog);

	if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
		fd = listen_at(&v4, sizeof(v4.v4), backlog);
	return fd;
}

void socket_keepalive(int fd, long lease_s)
{
	int third = lease_s < 3 ? 1 : (int)(lease_s / 3);

	socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, third);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, third);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, 2);
}
