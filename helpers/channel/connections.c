/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/connections.h"

#include "sys/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define UNPROVED_MAX 256   /* peers that haven't proved the secret yet */
#define HELLO_MS     10000 /* the time a peer has to prove it and name itself */
/* The time that a peer always has, even when there are UNPROVED_MAX. */
#define YOUNG_MS 1000
#define PAUSE_MS 20 /* accept no connection for so long, when all are young */

void connection_drop(struct connection *c)
{
	struct connections *all = c->all;

	loop_disarm(all->step.loop, &c->hello);
	secure_conn_close(c->conn);
	*c->prev = c->next;
	if (c->next)
		c->next->prev = c->prev;
	all->nunproved -= !c->proved;
	free(c);
}

void connection_is_known(struct connection *c)
{
	loop_disarm(c->all->step.loop, &c->hello);
}

static void on_proved(void *arg)
{
	struct connection *c = arg;

	c->proved = true; /* the next message is its MSG_HELLO */
	c->all->nunproved--;
}

static void on_too_slow(void *arg)
{
	struct connection *c = arg;

	c->all->lost(c, ETIMEDOUT);
}

static void add_connection(struct connections *all, int fd)
{
	struct connection *c = calloc(1, sizeof(*c));
	struct secure_conn_events events = {
		.opened = on_proved,
		.lost = all->lost,
		.arg = c,
		.message = all->message,
		.message_arg = c,
	};
	struct err err;

	if (!c) {
		close(fd);
		return;
	}
	*c = (struct connection){
		.all = all,
		.member = NOBODY,
		.since_ms = loop_now_ms(),
		.next = all->first,
		.prev = &all->first,
		.hello = {.expired = on_too_slow, .arg = c},
		.conn = secure_conn_new(&all->step, fd, false, &events, &err),
	};
	if (!c->conn) {
		free(c);
		return;
	}
	if (c->next)
		c->next->prev = &c->next;
	all->first = c;
	all->nunproved++;
	loop_arm(all->step.loop, &c->hello, HELLO_MS);
}

/* Drop the oldest that has proved nothing, unless it is still young, as a
 * thousand members who come at once are. Returns whether one was dropped. */
static bool make_room(struct connections *all)
{
	struct connection *oldest = NULL;

	for (struct connection *c = all->first; c; c = c->next)
		if (!c->proved)
			oldest = c;
	if (!oldest || loop_now_ms() - oldest->since_ms < YOUNG_MS)
		return false;
	connection_drop(oldest);
	return true;
}

static void listen_again(void *arg)
{
	struct connections *all = arg;
	struct err err;

	loop_watch(all->step.loop, &all->listening, EPOLLIN, &err);
}

static void on_connect(void *arg, uint32_t events)
{
	struct connections *all = arg;
	int fd = -1;

	(void)events;
	if (all->nunproved < UNPROVED_MAX || make_room(all))
		fd = accept4(all->listening.fd, NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		add_connection(all, fd);
	} else if (!make_room(all)) {
		loop_remove(all->step.loop, &all->listening);
		loop_arm(all->step.loop, &all->pause, PAUSE_MS);
	}
}

void connections_init(struct connections *all)
{
	all->listening = (struct loop_watch){
		.fd = -1,
		.ready = on_connect,
		.arg = all,
	};
	all->pause = (struct loop_timer){.expired = listen_again, .arg = all};
}

int connections_listen(struct connections *all,
		       unsigned (*port)(const void *arg, unsigned try),
		       const void *arg, struct err *err)
{
	unsigned at, try = 0;

	for (; (at = port(arg, try)) != 0; try++) {
		all->listening.fd = socket_listen(all->ip, at, SOMAXCONN);
		if (all->listening.fd >= 0) {
			all->step.port = at;
			return loop_watch(all->step.loop, &all->listening,
					  EPOLLIN, err);
		}
		if (errno != EADDRINUSE)
			return err_printf(
				err,
				"port %u can't be opened for connections: %s",
				at, strerror(errno));
	}
	return err_printf(err,
			  "%u ports for the launchers were tried, and all are "
			  "in use",
			  try);
}

void connections_close(struct connections *all)
{
	while (all->first)
		connection_drop(all->first);
	loop_disarm(all->step.loop, &all->pause);
	loop_remove(all->step.loop, &all->listening);
	if (all->listening.fd >= 0)
		close(all->listening.fd);
}
