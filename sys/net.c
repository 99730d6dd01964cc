/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/net.h"

#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TYPE (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int close_failed(int fd)
{
	int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
	return -1;
}

int net_listen(unsigned port)
{
	return socket_listen(port, SOMAXCONN);
}

/* Returns the address's length, or 0 when the text isn't an address. */
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

int net_connect(const char *ip, unsigned port)
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

int net_error(int fd)
{
	int why = 0;
	socklen_t len = sizeof(why);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) < 0)
		return errno;
	return why;
}

/* The connection also ends when data isn't acknowledged within the lease. */
void net_lease(int fd, long lease_s)
{
	socket_keepalive(fd, lease_s);
	socket_set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)lease_s * 1000);
	socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}
