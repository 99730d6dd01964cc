/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/readiness.h"

#include "sys/socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define AGAIN_MS 100 /* between two attempts at a port */

static void drop(struct readiness *w)
{
	loop_remove(w->loop, &w->watch);
	if (w->watch.fd >= 0)
		close(w->watch.fd);
	w->watch.fd = -1;
}

void readiness_end(struct readiness *w)
{
	if (!w->loop)
		return;
	drop(w);
	loop_disarm(w->loop, &w->again);
	loop_disarm(w->loop, &w->limit);
}

bool readiness_is_awaited(const struct readiness *w)
{
	return w->limit.armed;
}

static void expired(void *arg)
{
	struct readiness *w = arg;

	readiness_end(w);
	w->late(w->arg);
}

static void begin(struct readiness *w, long timeout_s)
{
	w->watch = (struct loop_watch){.fd = -1, .arg = w};
	w->again = (struct loop_timer){.arg = w};
	w->limit = (struct loop_timer){.expired = expired, .arg = w};
	loop_arm(w->loop, &w->limit, (unsigned long)timeout_s * 1000);
}

static void heard(void *arg, uint32_t events)
{
	struct readiness *w = arg;
	char c;
	ssize_t n = read(w->watch.fd, &c, 1);

	(void)events;
	if (n < 0 && errno == EINTR)
		return;
	drop(w);
	if (n <= 0)
		return;
	readiness_end(w);
	w->ready(w->arg);
}

int readiness_of_word(struct readiness *w, int fd, long timeout_s,
		      struct err *err)
{
	begin(w, timeout_s);
	w->watch.fd = fd;
	w->watch.ready = heard;
	return loop_watch(w->loop, &w->watch, EPOLLIN, err);
}

/* The connection has come about, or not. */
static void connected(void *arg, uint32_t events)
{
	struct readiness *w = arg;
	bool there = socket_error(w->watch.fd) == 0;

	(void)events;
	drop(w);
	if (!there) {
		loop_arm(w->loop, &w->again, AGAIN_MS);
		return;
	}
	readiness_end(w);
	w->ready(w->arg);
}

static void try_port(void *arg)
{
	struct readiness *w = arg;
	struct err ignored;

	w->watch.fd = socket_connect(w->ip, w->port);
	w->watch.ready = connected;
	if (w->watch.fd >= 0 &&
	    loop_watch(w->loop, &w->watch, EPOLLOUT, &ignored) == 0)
		return;
	drop(w);
	loop_arm(w->loop, &w->again, AGAIN_MS);
}

int readiness_of_port(struct readiness *w, const char *addr, unsigned port,
		      long timeout_s, struct err *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	int rc = getaddrinfo(addr, NULL, &hints, &list);

	if (rc != 0)
		return err_printf(err, "address %.255s: %s", addr,
				  gai_strerror(rc));
	rc = getnameinfo(list->ai_addr, list->ai_addrlen, w->ip, sizeof(w->ip),
			 NULL, 0, NI_NUMERICHOST);
	freeaddrinfo(list);
	if (rc != 0)
		return err_printf(err, "address %.255s: %s", addr,
				  gai_strerror(rc));
	begin(w, timeout_s);
	w->port = port;
	w->again.expired = try_port;
	try_port(w);
	return 0;
}
