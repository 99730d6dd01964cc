/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/net.h"

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

static void set(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, &value, sizeof(value));
}

static int fail(int fd)
{
	int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
	return -1;
}

static int listen_at(const union address *address, socklen_t len)
{
	int fd = socket(address->any.sa_family, TYPE, 0);

	if (fd < 0)
		return -1;
	set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (address->any.sa_family == AF_INET6)
		set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(fd, &address->any, len) < 0 || listen(fd, SOMAXCONN) < 0)
		return fail(fd);
	return fd;
}

int net_listen(unsigned port)
{
	union address v6 = {.v6 = {
				    .sin6_family = AF_INET6,
				    .sin6_port = htons((unsigned short)port),
				    .sin6_addr = in6addr_any,
			    }};
	union address v4 = {.v4 = {
				    .sin_family = AF_INET,
				    .sin_port = htons((unsigned short)port),
			    }};
	int fd = listen_at(&v6, sizeof(v6.v6));

	if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
		fd = listen_at(&v4, sizeof(v4.v4));
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

int net_connect(const char *ip, unsigned port)
{
	union address address;
	socklen_t len = read_address(ip, port, &address);
	int fd = len ? socket(address.any.sa_family, TYPE, 0) : -1;

	if (fd < 0)
		return -1;
	if (connect(fd, &address.any, len) < 0 && errno != EINPROGRESS)
		return fail(fd);
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

/* A third of the lease in silence, then two probes a third apart; data that
 * stays unacknowledged for the whole lease ends the connection too. */
void net_lease(int fd, long lease_s)
{
	int third = lease_s < 3 ? 1 : (int)(lease_s / 3);

	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(fd, IPPROTO_TCP, TCP_KEEPIDLE, third);
	set(fd, IPPROTO_TCP, TCP_KEEPINTVL, third);
	set(fd, IPPROTO_TCP, TCP_KEEPCNT, 2);
	set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)lease_s * 1000);
	set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}
