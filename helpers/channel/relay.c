/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/relay.h"

#include "sys/socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAIRS_MAX 64 /* then the oldest one goes */
#define BUFFER	  16384

struct pair;

/* One end of a pair, and what has come there for the other one. */
struct end {
	struct pair *pair;
	struct loop_watch watch;
	char data[BUFFER];
	size_t at, n;
	bool over; /* nothing more comes */
};

struct pair {
	struct relay *relay;
	struct pair *next, **prev;
	struct end end[2]; /* who has called, and the controller */
};

struct relay {
	struct relay_options o;
	struct loop_watch listening;
	struct pair *first; /* the newest */
	unsigned n;
};

static void drop(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		loop_remove(p->relay->o.loop, &p->end[i].watch);
		if (p->end[i].watch.fd >= 0)
			close(p->end[i].watch.fd);
	}
	p->relay->n--;
	*p->prev = p->next;
	if (p->next)
		p->next->prev = p->prev;
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

static void on_ready(void *arg, uint32_t events)
{
	struct end *e = arg, *o = other(e);
	int rc = events & EPOLLERR ? -1 : 0;

	if (rc == 0 && events & (EPOLLIN | EPOLLHUP) && !e->n && !e->over)
		rc = take(e);
	if (rc == 0 && e->n)
		rc = give(e, o);
	if (rc == 0 && events & EPOLLOUT && o->n)
		rc = give(o, e);
	/* Who has said all is done when that is passed on */
	if (rc < 0 || (e->over && !e->n) || (o->over && !o->n) ||
	    watch(e) < 0 || watch(o) < 0)
		drop(e->pair);
}

static void begin(struct relay *relay, int fd)
{
	int to = socket_connect(relay->o.to_ip, relay->o.to_port);
	struct pair *p = to < 0 ? NULL : calloc(1, sizeof(*p));

	if (!p) {
		close(fd);
		if (to >= 0)
			close(to);
		return;
	}
	*p = (struct pair){
		.relay = relay,
		.next = relay->first,
		.prev = &relay->first,
		.end = {{.pair = p, .watch = {.fd = fd}},
			{.pair = p, .watch = {.fd = to}}},
	};
	for (int i = 0; i < 2; i++) {
		p->end[i].watch.ready = on_ready;
		p->end[i].watch.arg = &p->end[i];
	}
	if (p->next)
		p->next->prev = &p->next;
	relay->first = p;
	relay->n++;
	if (watch(&p->end[0]) < 0 || watch(&p->end[1]) < 0)
		drop(p);
}

static void drop_oldest(struct relay *relay)
{
	struct pair *p = relay->first;

	while (p && p->next)
		p = p->next;
	if (p)
		drop(p);
}

static void on_call(void *arg, uint32_t events)
{
	struct relay *relay = arg;
	int fd = accept4(relay->listening.fd, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE)
			drop_oldest(relay);
		return;
	}
	if (relay->n == PAIRS_MAX)
		drop_oldest(relay);
	begin(relay, fd);
}

static int listen_somewhere(const struct relay_options *o)
{
	unsigned at;
	int fd = -1;

	for (unsigned try = 0; fd < 0 && (at = o->port(o->port_arg, try)) != 0;
	     try++)
		fd = socket_listen(o->ip, at, PAIRS_MAX);
	return fd;
}

struct relay *relay_open(const struct relay_options *options)
{
	struct relay *relay = calloc(1, sizeof(*relay));
	struct err err;

	if (!relay)
		return NULL;
	relay->o = *options;
	relay->listening = (struct loop_watch){
		.fd = listen_somewhere(options),
		.ready = on_call,
		.arg = relay,
	};
	if (relay->listening.fd >= 0 &&
	    loop_watch(options->loop, &relay->listening, EPOLLIN, &err) == 0)
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
	loop_remove(relay->o.loop, &relay->listening);
	if (relay->listening.fd >= 0)
		close(relay->listening.fd);
	free(relay);
}
