/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/relay.h"

#include "core/base/array.h"
#include "helpers/conn/seal.h"
#include "helpers/conn/secure_conn.h"
#include "sys/socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define NEW_MAX 256 /* then the oldest of them goes */
#define BUFFER	16384
#define LOOK_MS 1000 /* between two looks whether what was sent arrived */

/* So much is told to anybody (helpers/conn/secure_conn.h): a salt, a header, a
 * proof. */
#define GREETING (SEAL_SALT + SEAL_HEADER + RECORD_LENGTH + 1 + SEAL_GROWTH)

struct pair;

/* One end of a pair, and what has come there for the other one. */
struct end {
	struct pair *pair;
	struct loop_watch watch;
	char data[BUFFER];
	size_t at, n, come;
	bool over; /* nothing more comes, */
	bool told; /* and the other one knows */
	uint64_t answered_ms;
};

struct pair {
	struct relay *relay;
	struct pair *next, **prev;
	struct end end[2]; /* who has called, and the controller */
};

struct relay {
	struct relay_options o;
	struct loop_watch listening;
	struct loop_timer look;
	struct pair *first; /* the newest */
};

/* Again, where there were no descriptors left. */
static int listen_on(struct relay *relay)
{
	struct err err;

	return loop_watch(relay->o.loop, &relay->listening, EPOLLIN, &err);
}

static void drop(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		loop_remove(p->relay->o.loop, &p->end[i].watch);
		close(p->end[i].watch.fd);
	}
	listen_on(p->relay);
	LIST_REMOVE(p);
	free(p);
}

static struct end *other(struct end *e)
{
	return &e->pair->end[e == &e->pair->end[0]];
}

/* An end is read when what it has said before is passed on, and written to when
 * there is something for it. */
static int watch(struct end *e)
{
	uint32_t events = 0;
	struct err err;

	if (!e->over && !e->n)
		events |= EPOLLIN;
	if (other(e)->n)
		events |= EPOLLOUT;
	return loop_watch(e->pair->relay->o.loop, &e->watch, events, &err);
}

/* Returns 0, or -1: the end is lost. */
static int take(struct end *e)
{
	ssize_t n = recv(e->watch.fd, e->data, sizeof(e->data), 0);

	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	e->at = 0;
	e->n = (size_t)n;
	e->come += (size_t)n;
	e->over = !n;
	return 0;
}

static int give(struct end *from, struct end *to)
{
	ssize_t n = send(to->watch.fd, from->data + from->at, from->n,
			 MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	from->at += (size_t)n;
	from->n -= (size_t)n;
	return 0;
}

/* What has come, and its end. */
static int pass_on(struct end *from)
{
	struct end *to = other(from);

	if (from->n && give(from, to) < 0)
		return -1;
	if (from->over && !from->n && !from->told) {
		from->told = true;
		shutdown(to->watch.fd, SHUT_WR);
	}
	return 0;
}

static void on_ready(void *arg, uint32_t events)
{
	struct end *e = arg, *o = other(e);
	int rc = events & EPOLLERR ? -1 : 0;

	if (rc == 0 && events & (EPOLLIN | EPOLLHUP) && !e->n && !e->over)
		rc = take(e);
	if (rc < 0 || pass_on(e) < 0 || pass_on(o) < 0 ||
	    (e->told && o->told) || watch(e) < 0 || watch(o) < 0)
		drop(e->pair);
}

/* --- hosts that are lost --- */

static bool is_silent(struct end *e, const struct relay *relay)
{
	uint64_t now = loop_now_ms();
	enum socket_answer answer = socket_answer(e->watch.fd, relay->o.lease_s,
						  now - e->answered_ms);

	if (answer == SOCKET_ANSWERED)
		e->answered_ms = now;
	return answer == SOCKET_SILENT;
}

static void on_look(void *arg)
{
	struct relay *relay = arg;
	struct pair *next;

	for (struct pair *p = relay->first; p; p = next) {
		next = p->next;
		if (is_silent(&p->end[0], relay) ||
		    is_silent(&p->end[1], relay))
			drop(p);
	}
	if (relay->first)
		loop_arm(relay->o.loop, &relay->look, LOOK_MS);
}

/* --- who calls --- */

static void begin(struct relay *relay, int fd)
{
	int to = socket_connect(relay->o.to_ip, relay->o.to_port);
	struct pair *p = to < 0 ? NULL : calloc(1, sizeof(*p));

	if (!p) {
		close(fd);
		close_fd(&to);
		return;
	}
	*p = (struct pair){
		.relay = relay,
		.end = {{.pair = p, .watch = {.fd = fd}},
			{.pair = p, .watch = {.fd = to}}},
	};
	for (int i = 0; i < 2; i++) {
		p->end[i].watch.ready = on_ready;
		p->end[i].watch.arg = &p->end[i];
		p->end[i].answered_ms = loop_now_ms();
		socket_lease(p->end[i].watch.fd, relay->o.lease_s);
	}
	LIST_ADD(&relay->first, p);
	if (!relay->look.armed)
		loop_arm(relay->o.loop, &relay->look, LOOK_MS);
	if (watch(&p->end[0]) < 0 || watch(&p->end[1]) < 0)
		drop(p);
}

/* The controller hasn't let him in, or has answered and closed. */
static bool is_new(const struct pair *p)
{
	return p->end[1].come <= GREETING || p->end[1].over;
}

/* Whom the controller knows stays, however many strangers call. */
static struct pair *oldest_new(const struct relay *relay, unsigned *ret_n)
{
	struct pair *oldest = NULL;

	*ret_n = 0;
	for (struct pair *p = relay->first; p; p = p->next)
		if (is_new(p)) {
			oldest = p;
			++*ret_n;
		}
	return oldest;
}

static void on_call(void *arg, uint32_t events)
{
	struct relay *relay = arg;
	int fd = accept4(relay->listening.fd, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	bool none_left = fd < 0 && (errno == EMFILE || errno == ENFILE);
	unsigned n;
	struct pair *oldest = oldest_new(relay, &n);

	(void)events;
	if (oldest && (none_left || (fd >= 0 && n >= NEW_MAX)))
		drop(oldest);
	else if (none_left)
		loop_remove(relay->o.loop, &relay->listening);
	if (fd >= 0)
		begin(relay, fd);
}

static int listen_somewhere(const struct relay_options *o)
{
	unsigned at;
	int fd = -1;

	for (unsigned try = 0; fd < 0 && (at = o->port(o->port_arg, try)) != 0;
	     try++)
		fd = socket_listen(o->ip, at, SOMAXCONN);
	return fd;
}

struct relay *relay_open(const struct relay_options *options)
{
	struct relay *relay = calloc(1, sizeof(*relay));

	if (!relay)
		return NULL;
	relay->o = *options;
	relay->listening = (struct loop_watch){
		.fd = listen_somewhere(options),
		.ready = on_call,
		.arg = relay,
	};
	relay->look = (struct loop_timer){.expired = on_look, .arg = relay};
	if (relay->listening.fd >= 0 && listen_on(relay) == 0)
		return relay;
	relay_close(relay);
	return NULL;
}

void relay_close(struct relay *relay)
{
	if (!relay)
		return;
	while (relay->first)
		drop(relay->first);
	loop_disarm(relay->o.loop, &relay->look);
	loop_remove(relay->o.loop, &relay->listening);
	close_fd(&relay->listening.fd);
	free(relay);
}
