/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/check/pairs.h"

#include "core/base/cleanup.h"
#include "core/base/constant_time.h"
#include "helpers/conn/newcomers.h"
#include "sys/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAUSE_MS 20 /* nobody can be accepted */

struct caller {
	struct newcomer newcomer; /* the first member: it stands for all */
	int fd;			  /* -1: the place is free */
	size_t n;
	char heard[PAIR_WORD_SIZE];
};

struct callers {
	struct newcomers newcomers;
	struct caller place[PAIR_CALLERS_MAX];
};

/* Its descriptor stays open. */
static int let_go(struct callers *all, struct caller *c)
{
	int fd = c->fd;

	newcomers_remove(&all->newcomers, &c->newcomer);
	c->fd = -1;
	return fd;
}

static struct caller *make_room(struct callers *all)
{
	struct newcomer *goes = newcomers_who_goes(
		&all->newcomers, PAIR_CALLERS_MAX, loop_now_ms());
	struct caller *c;

	c = (struct caller *)(goes ? goes : all->newcomers.oldest);
	close(let_go(all, c));
	return c;
}

static struct caller *find_place(struct callers *all)
{
	for (unsigned i = 0; i < PAIR_CALLERS_MAX; i++)
		if (all->place[i].fd < 0)
			return &all->place[i];
	return make_room(all);
}

static void let_in(struct callers *all, int listen_fd)
{
	union newcomer_address from = {.any.sa_family = AF_UNSPEC};
	socklen_t size = sizeof(from);
	int fd = accept4(listen_fd, &from.any, &size,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct caller *c;

	if (fd < 0 && (errno == EMFILE || errno == ENFILE) && all->newcomers.n)
		make_room(all);
	else if (fd < 0)
		poll(NULL, 0, PAUSE_MS);
	if (fd < 0)
		return;
	c = find_place(all);
	if (newcomers_add(&all->newcomers, &c->newcomer, NULL, &from,
			  loop_now_ms()) < 0) {
		close(fd);
		return;
	}
	c->fd = fd;
	c->n = 0;
}

/* Whether it has said the word. Who has ended, or has said something else,
 * goes. */
static bool hear(struct callers *all, struct caller *c, const char *word)
{
	ssize_t n = recv(c->fd, c->heard + c->n, PAIR_WORD_SIZE - c->n, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	c->n += n > 0 ? (size_t)n : 0;
	if (c->n == PAIR_WORD_SIZE &&
	    constant_time_equal(c->heard, word, PAIR_WORD_SIZE))
		return true;
	if (n <= 0 || c->n == PAIR_WORD_SIZE)
		close(let_go(all, c));
	return false;
}

/* Until something comes. False: the time is over. */
static bool wait_for_any(const struct callers *all, struct pollfd *p,
			 uint64_t until)
{
	uint64_t now = loop_now_ms();

	for (unsigned i = 0; i < PAIR_CALLERS_MAX; i++)
		p[i] = (struct pollfd){
			.fd = all->place[i].fd,
			.events = POLLIN,
		};
	p[PAIR_CALLERS_MAX].revents = 0;
	return now < until &&
	       (poll(p, PAIR_CALLERS_MAX + 1, (int)(until - now)) > 0 ||
		errno == EINTR);
}

/* Those who are here are heard before others are let in. */
static int hear_all(struct callers *all, int listen_fd, const char *word,
		    uint64_t until)
{
	struct pollfd p[PAIR_CALLERS_MAX + 1];

	p[PAIR_CALLERS_MAX] =
		(struct pollfd){.fd = listen_fd, .events = POLLIN};
	while (wait_for_any(all, p, until)) {
		for (unsigned i = 0; i < PAIR_CALLERS_MAX; i++)
			if (p[i].revents && hear(all, &all->place[i], word))
				return let_go(all, &all->place[i]);
		if (p[PAIR_CALLERS_MAX].revents)
			let_in(all, listen_fd);
	}
	return -1;
}

int pair_callers_hear(int listen_fd, const char *word, uint64_t until)
{
	cleanup_free struct callers *all = calloc(1, sizeof(*all));
	int found;

	if (!all)
		return -1;
	for (unsigned i = 0; i < PAIR_CALLERS_MAX; i++)
		all->place[i].fd = -1;
	found = hear_all(all, listen_fd, word, until);
	for (unsigned i = 0; i < PAIR_CALLERS_MAX; i++)
		if (all->place[i].fd >= 0)
			close(let_go(all, &all->place[i]));
	return found;
}
