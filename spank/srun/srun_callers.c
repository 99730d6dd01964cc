/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun_callers.h"

#include "core/base/constant_time.h"
#include "spank/srun/srun_listen.h"
#include "sys/socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

unsigned callers_listen(struct callers *c)
{
	unsigned port;

	c->listen_fd = srun_listen(NULL, CALLERS_MAX, &port);
	return c->listen_fd < 0 ? 0 : port;
}

static void drop(struct callers *c, unsigned i)
{
	if (c->caller[i].fd >= 0)
		close(c->caller[i].fd);
	c->n--;
	memmove(&c->caller[i], &c->caller[i + 1],
		(c->n - i) * sizeof(c->caller[0]));
}

/* accept() has failed for want of descriptors or memory, or because a
 * connection has ended already: strangers mustn't keep the launcher out. */
static bool make_room(struct callers *c)
{
	if (errno == ECONNABORTED || errno == EINTR)
		return true;
	if (!c->n)
		return false;
	drop(c, 0);
	return true;
}

static void let_in(struct callers *c)
{
	int fd =
		accept4(c->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		c->full = errno != EAGAIN && !make_room(c);
		return;
	}
	socket_keepalive(fd, c->lease_s);
	if (c->n == CALLERS_MAX)
		drop(c, 0);
	c->caller[c->n++] = (struct caller){.fd = fd};
}

/* Read what caller i sends. Returns its descriptor when it has shown the token,
 * or -1. */
static int hear(struct callers *c, unsigned i)
{
	struct caller *caller = &c->caller[i];
	ssize_t n = recv(caller->fd, caller->bytes + caller->n,
			 TOKEN_SIZE - caller->n, 0);
	int fd = -1;

	if (n < 0 && errno == EAGAIN)
		return -1;
	if (n > 0)
		caller->n += (size_t)n;
	if (n > 0 && caller->n < TOKEN_SIZE)
		return -1;
	if (n > 0 && constant_time_equal(caller->bytes, c->token, TOKEN_SIZE)) {
		fd = caller->fd;
		caller->fd = -1;
	}
	drop(c, i);
	return fd;
}

unsigned callers_poll(const struct callers *c, struct pollfd *p)
{
	unsigned n = 0;

	p[n++] = (struct pollfd){.fd = c->full ? -1 : c->listen_fd,
				 .events = POLLIN};
	for (unsigned i = 0; i < c->n; i++)
		p[n++] = (struct pollfd){.fd = c->caller[i].fd,
					 .events = POLLIN};
	return n;
}

int callers_hear(struct callers *c, const struct pollfd *p)
{
	for (unsigned i = c->n; i-- > 0;) {
		int fd = p[1 + i].revents ? hear(c, i) : -1;

		/* The others' turn comes: they are still readable */
		if (fd >= 0)
			return fd;
	}
	if (p[0].revents)
		let_in(c);
	return -1;
}

void callers_close(struct callers *c)
{
	if (c->listen_fd >= 0)
		close(c->listen_fd);
	c->listen_fd = -1;
	while (c->n)
		drop(c, c->n - 1);
}
