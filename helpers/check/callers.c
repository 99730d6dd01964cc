/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/check/pair_talk.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAUSE_MS 20 /* nobody can be accepted */

struct caller {
	struct newcomer newcomer; /* the first member: it stands for all */
	struct callers *all;
	struct loop_watch watch;
	struct loop_timer silent;
	size_t n; /* bytes that have come */
	char heard[CALLERS_HEARD];
};

/* Its descriptor stays open. */
static int let_go(struct caller *c)
{
	struct callers *all = c->all;
	int fd = c->watch.fd;

	newcomers_remove(&all->newcomers, &c->newcomer);
	loop_disarm(all->loop, &c->silent);
	loop_remove(all->loop, &c->watch);
	free(c);
	return fd;
}

static void end_caller(void *arg)
{
	close(let_go(arg));
}

static void hear(void *arg, uint32_t events)
{
	struct caller *c = arg;
	struct callers *all = c->all;
	char buf[16384], heard[CALLERS_HEARD];
	size_t left = all->wanted - c->n, room = sizeof(heard) - c->n;
	ssize_t n = recv(c->watch.fd, buf,
			 left < sizeof(buf) ? left : sizeof(buf), 0);
	int fd;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0 && c->n < sizeof(heard))
		memcpy(c->heard + c->n, buf,
		       (size_t)n < room ? (size_t)n : room);
	c->n += n > 0 ? (size_t)n : 0;
	if (n > 0 && c->n < all->wanted) {
		loop_arm(all->loop, &c->silent, all->silent_ms);
		return;
	}
	memcpy(heard, c->heard, sizeof(heard));
	fd = let_go(c);
	if (n <= 0 || !all->said(all->arg, fd, heard))
		close(fd);
}

static void make_room(struct callers *all)
{
	struct newcomer *goes =
		newcomers_who_goes(&all->newcomers, all->max, loop_now_ms());

	goes = goes ? goes : all->newcomers.oldest;
	if (goes)
		end_caller(goes);
	else
		poll(NULL, 0, PAUSE_MS);
}

static void let_in(void *arg, uint32_t events)
{
	struct callers *all = arg;
	union newcomer_address from = {.any.sa_family = AF_UNSPEC};
	socklen_t size = sizeof(from);
	int fd = accept4(all->door.fd, &from.any, &size,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct caller *c = fd < 0 ? NULL : calloc(1, sizeof(*c));
	struct err ignored;

	(void)events;
	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		make_room(all);
	if (fd < 0)
		return;
	if (!c || newcomers_add(&all->newcomers, &c->newcomer, NULL, &from,
				loop_now_ms()) < 0) {
		close(fd);
		free(c);
		return;
	}
	c->all = all;
	c->watch = (struct loop_watch){.fd = fd, .ready = hear, .arg = c};
	c->silent = (struct loop_timer){.expired = end_caller, .arg = c};
	loop_arm(all->loop, &c->silent, all->silent_ms);
	if (loop_watch(all->loop, &c->watch, EPOLLIN, &ignored) < 0)
		end_caller(c);
	else if (all->newcomers.n > all->max)
		make_room(all);
}

int callers_open(struct callers *all, struct loop *loop, int listen_fd,
		 struct err *err)
{
	all->loop = loop;
	all->door = (struct loop_watch){
		.fd = listen_fd, .ready = let_in, .arg = all};
	return loop_watch(loop, &all->door, EPOLLIN, err);
}

void callers_close(struct callers *all)
{
	loop_remove(all->loop, &all->door);
	while (all->newcomers.oldest)
		end_caller(all->newcomers.oldest);
}
