/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/free_port.h"

#include "core/cleanup.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* 0 when the port can be listened on, else the errno that says why not. */
static int try_listen(int family, unsigned port)
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
	const void *sa =
		family == AF_INET6 ? (const void *)&v6 : (const void *)&v4;
	socklen_t len = family == AF_INET6 ? sizeof(v6) : sizeof(v4);
	cleanup_close int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int yes = 1, no = 0;

	if (fd < 0)
		return errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	if (bind(fd, sa, len) < 0 || listen(fd, 1) < 0)
		return errno;
	return 0;
}

int free_port_check(const struct coordinator *coordinator, const char *node,
		    struct err *err)
{
	int why = try_listen(AF_INET6, coordinator->port);

	if (why == EAFNOSUPPORT || why == EADDRNOTAVAIL)
		why = try_listen(AF_INET, coordinator->port);
	if (!why)
		return 0;
	if (why == EADDRINUSE)
		return err_printf(err,
				  "port %u on %s is in use (it was %s); "
				  "port=N asks for another",
				  coordinator->port, node,
				  coordinator_port_source(coordinator));
	return err_printf(err,
			  "port %u on %s can't be listened on: %s; "
			  "port=N asks for another",
			  coordinator->port, node, strerror(why));
}
