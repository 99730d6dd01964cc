/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/doctor/all_reduce.h"

#include "sys/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define FILES	    32	  /* descriptors for other things than callers */
#define CALLERS_MAX 20000 /* more than there are nodes */
#define SWEEP_MS    1000

struct caller {
	struct server *server;
	struct caller *next;
	struct loop_watch watch;
	size_t got;	   /* bytes */
	uint64_t heard_ms; /* the last ones came then */
};

struct server {
	struct loop loop;
	struct loop_watch door;
	struct loop_timer sweep;
	struct caller *first; /* the newest */
	unsigned n, max, idle_ms;
};

static void end_caller(struct caller *c)
{
	struct server *s = c->server;
	struct caller **at = &s->first;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	s->n--;
	loop_remove(&s->loop, &c->watch);
	close(c->watch.fd);
	free(c);
}

static void hear(void *arg, uint32_t events)
{
	struct caller *c = arg;
	char buf[16384];
	ssize_t n = read(c->watch.fd, buf, sizeof(buf));

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		c->got += (size_t)n;
		c->heard_ms = loop_now_ms();
		if (c->got < REACH_BLOCK)
			return;
		send(c->watch.fd, "", 1, MSG_NOSIGNAL);
	}
	end_caller(c);
}

/* The oldest one that says nothing; else the oldest. */
static void make_room(struct server *s)
{
	struct caller *silent = NULL, *oldest = NULL;

	for (struct caller *c = s->first; c; c = c->next) {
		oldest = c;
		if (!c->got)
			silent = c;
	}
	if (silent || oldest)
		end_caller(silent ? silent : oldest);
}

static void let_in(void *arg, uint32_t events)
{
	struct server *s = arg;
	struct caller *c;
	struct err ignored;
	int fd = accept4(s->door.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)events;
	if (fd < 0)
		return;
	if (s->n >= s->max)
		make_room(s);
	c = calloc(1, sizeof(*c));
	if (!c) {
		close(fd);
		return;
	}
	*c = (struct caller){
		.server = s,
		.next = s->first,
		.watch = {.fd = fd, .ready = hear, .arg = c},
		.heard_ms = loop_now_ms(),
	};
	s->first = c;
	s->n++;
	if (loop_watch(&s->loop, &c->watch, EPOLLIN, &ignored) < 0)
		end_caller(c);
}

static void sweep(void *arg)
{
	struct server *s = arg;
	struct caller *next;

	for (struct caller *c = s->first; c; c = next) {
		next = c->next;
		if (loop_now_ms() >= c->heard_ms + s->idle_ms)
			end_caller(c);
	}
	loop_arm(&s->loop, &s->sweep, SWEEP_MS);
}

static unsigned most_callers(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_max <= 2 * FILES)
		return FILES;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	return r.rlim_cur > CALLERS_MAX ? CALLERS_MAX
					: (unsigned)r.rlim_cur - FILES;
}

int reach_server_run(int fd, unsigned idle_ms, struct err *err)
{
	struct server s = {
		.door = {.fd = fd, .ready = let_in, .arg = &s},
		.sweep = {.expired = sweep, .arg = &s},
		.max = most_callers(),
		.idle_ms = idle_ms,
	};

	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (loop_open(&s.loop, err) < 0 ||
	    loop_watch(&s.loop, &s.door, EPOLLIN, err) < 0)
		return -1;
	loop_arm(&s.loop, &s.sweep, SWEEP_MS);
	return loop_run(&s.loop, err);
}
