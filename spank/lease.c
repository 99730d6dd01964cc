/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/lease.h"

#include "spank/controller.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections that may wait: one is ours, the rest strangers'. */
#define BACKLOG 16

static int new_socket(int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), no = 0;

	if (fd >= 0 && family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	return fd;
}

static bool listen_on(int fd, int family, unsigned port)
{
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons((unsigned short)port),
		.sin6_addr = in6addr_any,
	};
	struct sockaddr_in v4 = {
		.sin_family = AF_INET,
		.sin_port = htons((unsigned short)port),
	};

	if (family == AF_INET6)
		return bind(fd, (const struct sockaddr *)&v6, sizeof(v6)) ==
			       0 &&
		       listen(fd, BACKLOG) == 0;
	return bind(fd, (const struct sockaddr *)&v4, sizeof(v4)) == 0 &&
	       listen(fd, BACKLOG) == 0;
}

/* In the range that slurm.conf leaves open for srun (SrunPortRange), from
 * where the process id points, or anywhere. */
static bool listen_somewhere(int fd, int family)
{
	unsigned min, max, span;

	if (!controller_srun_ports(&min, &max))
		return listen_on(fd, family, 0);
	span = max - min + 1;
	for (unsigned i = 0; i < span; i++)
		if (listen_on(fd, family,
			      min + ((unsigned)getpid() + i) % span))
			return true;
	return false;
}

static unsigned port_of(int fd)
{
	struct sockaddr_in6 any = {0};
	socklen_t len = sizeof(any);

	/* The port is at the same place in both families */
	if (getsockname(fd, (struct sockaddr *)&any, &len) < 0)
		return 0;
	return ntohs(any.sin6_port);
}

unsigned lease_port(void)
{
	static const int families[] = {AF_INET6, AF_INET};
	static unsigned port;

	for (int i = 0; i < 2 && !port; i++) {
		int fd = new_socket(families[i]);

		if (fd >= 0 && listen_somewhere(fd, families[i]))
			port = port_of(fd);
		else if (fd >= 0)
			close(fd);
	}
	return port;
}
