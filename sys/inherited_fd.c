/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/child.h"

#include "core/base/parse.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>

static bool is_sealed(int fd, int seal)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & seal);
}

/* `what` is for is_ours(). */
static int take(const char *name, bool (*is_ours)(int fd, int what), int what)
{
	const char *text = getenv(name);
	bool ours;
	long fd;

	if (!text)
		return -1;
	ours = parse_number(text, 3, INT_MAX, &fd) == 0 &&
	       is_ours((int)fd, what);
	unsetenv(name);
	if (!ours || fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	return (int)fd;
}

int inherited_fd_take(const char *name, int seal)
{
	return take(name, is_sealed, seal);
}

static bool is_unix_socket(int fd, int type)
{
	int domain, found;
	socklen_t n = sizeof(domain), m = sizeof(found);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &found, &m) == 0 &&
	       domain == AF_UNIX && found == type;
}

int inherited_socket_take(const char *name)
{
	return take(name, is_unix_socket, SOCK_SEQPACKET);
}
