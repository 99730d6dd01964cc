/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/check/pair_talk.h"

#include "core/base/constant_time.h"
#include "sys/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>

#define BLOCK	 (256 << 10)
#define RETRY_MS 50
#define END_MS	 300 /* for the last bytes to be acknowledged */
#define LATE_MS	 500

/* --- in the child --- */

static int left_ms(uint64_t until)
{
	uint64_t now = loop_now_ms();

	return until > now ? (int)(until - now) : 0;
}

static bool wait_for(int fd, short events, uint64_t until)
{
	return socket_wait(fd, events, left_ms(until));
}

/* All n bytes in that time, or false. */
static bool say_word(int fd, const char *word, uint64_t until)
{
	size_t done = 0;

	while (done < PAIR_WORD_SIZE && wait_for(fd, POLLOUT, until)) {
		ssize_t n = send(fd, word + done, PAIR_WORD_SIZE - done,
				 MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return done == PAIR_WORD_SIZE;
}

static bool hear_word(int fd, const char *word, uint64_t until)
{
	char heard[PAIR_WORD_SIZE];
	size_t done = 0;

	while (done < sizeof(heard) && wait_for(fd, POLLIN, until)) {
		ssize_t n = recv(fd, heard + done, sizeof(heard) - done, 0);

		if (!n || (n < 0 && errno != EAGAIN))
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return done == sizeof(heard) &&
	       constant_time_equal(heard, word, sizeof(heard));
}

static uint64_t sooner(uint64_t until, int ms)
{
	uint64_t soon = loop_now_ms() + (uint64_t)ms;

	return soon < until ? soon : until;
}

/* Who connects says its word first. Returns the connection or -1. */
static int connect_to(const struct pair_talk_wish *w, uint64_t until)
{
	while (left_ms(until)) {
		int fd = socket_connect(w->ip, w->port);

		if (fd >= 0 && wait_for(fd, POLLOUT, until) &&
		    !socket_error(fd) && say_word(fd, w->say, until) &&
		    hear_word(fd, w->expect, until))
			return fd;
		close_fd(&fd);
		poll(NULL, 0, RETRY_MS);
	}
	return -1;
}

struct partner {
	struct loop loop;
	const char *word;
	int fd; /* -1: it hasn't come yet */
};

static bool is_partner(void *arg, int fd, const char heard[CALLERS_HEARD])
{
	struct partner *p = arg;

	_Static_assert(CALLERS_HEARD == PAIR_WORD_SIZE, "all of it");
	if (p->fd >= 0 || !constant_time_equal(heard, p->word, PAIR_WORD_SIZE))
		return false;
	p->fd = fd;
	loop_stop(&p->loop);
	return true;
}

static void is_late(void *arg)
{
	struct partner *p = arg;

	loop_stop(&p->loop);
}

/* Returns the connection on which the word was said, or -1. */
static int hear_partner(const struct pair_talk_wish *w, uint64_t until)
{
	struct partner p = {.word = w->expect, .fd = -1};
	struct loop_timer late = {.expired = is_late, .arg = &p};
	struct callers callers = {
		.max = PAIR_CALLERS_MAX,
		.silent_ms = PAIR_MS,
		.wanted = PAIR_WORD_SIZE,
		.said = is_partner,
		.arg = &p,
	};
	struct err err;

	if (loop_open(&p.loop, &err) < 0)
		return -1;
	loop_arm(&p.loop, &late, (uint64_t)left_ms(until));
	if (callers_open(&callers, &p.loop, w->listen_fd, &err) == 0)
		loop_run(&p.loop, &err);
	callers_close(&callers);
	loop_disarm(&p.loop, &late);
	loop_close(&p.loop);
	return p.fd;
}

static int accept_from(const struct pair_talk_wish *w, uint64_t until)
{
	int fd;

	while ((fd = hear_partner(w, until)) >= 0) {
		if (say_word(fd, w->say, until))
			return fd;
		close(fd);
	}
	return -1;
}

struct flow {
	char *block;
	long in, out; /* bytes that came, that are still to be sent */
	bool over;    /* the other one has ended, or is lost */
};

static void move_some(int fd, struct flow *f, short events)
{
	ssize_t n;

	if (events & (POLLIN | POLLHUP | POLLERR)) {
		n = recv(fd, f->block + BLOCK, BLOCK, 0);
		f->over = !n || (n < 0 && errno != EAGAIN);
		f->in += n > 0 ? n : 0;
	}
	if (events & POLLOUT && f->out) {
		n = send(fd, f->block, f->out < BLOCK ? (size_t)f->out : BLOCK,
			 MSG_NOSIGNAL);
		f->over |= n < 0 && errno != EAGAIN;
		f->out -= n > 0 ? n : 0;
		if (!f->out)
			shutdown(fd, SHUT_WR);
	}
}

/* Until all has come, or the time is over. Returns the milliseconds. */
static double exchange(int fd, struct flow *f, long bytes, uint64_t until)
{
	uint64_t start = loop_now_ms();
	double took;

	while ((f->in < bytes || f->out) && !f->over && left_ms(until)) {
		struct pollfd p = {
			.fd = fd,
			.events = (short)(POLLIN | (f->out ? POLLOUT : 0)),
		};

		if (poll(&p, 1, left_ms(until)) > 0)
			move_some(fd, f, p.revents);
	}
	took = (double)(loop_now_ms() - start);
	/* What is on the way to the other one counts for him */
	if (!f->over)
		wait_for(fd, POLLIN, sooner(until, END_MS));
	return took > 1 ? took : 1;
}

/* Of 1,000 packets that were sent. */
static unsigned sent_again(int fd, long sent)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);
	unsigned long packets;

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 ||
	    !info.tcpi_snd_mss)
		return 0;
	packets = (unsigned long)sent / info.tcpi_snd_mss +
		  info.tcpi_total_retrans;
	return packets ? (unsigned)(1000UL * info.tcpi_total_retrans / packets)
		       : 0;
}

void pair_talk_run(const struct pair_talk_wish *w, int limit_ms, long bytes,
		   struct pair_figure *ret)
{
	uint64_t until = loop_now_ms() + (uint64_t)limit_ms;
	cleanup_free char *block = malloc(2 * BLOCK);
	cleanup_close int fd = -1;
	struct flow f = {.block = block, .out = bytes};
	double ms;

	*ret = (struct pair_figure){0};
	if (!block || getrandom(block, BLOCK, 0) < 0)
		return;
	fd = w->listen_fd >= 0 ? accept_from(w, until) : connect_to(w, until);
	if (fd < 0)
		return;
	ms = exchange(fd, &f, bytes, until);
	ret->rate = (double)f.in * 1000 / ms;
	ret->again = sent_again(fd, bytes - f.out);
}

static int run_child(const int fd[2], const void *arg)
{
	struct pair_figure figure;

	pair_talk_run(arg, PAIR_MS, PAIR_BYTES, &figure);
	dprintf(fd[1], "%.0f %u\n", figure.rate, figure.again);
	return 0;
}

/* --- in the launcher --- */

static void finish(void *arg, char *said, bool late)
{
	struct pair_talk *t = arg;
	struct pair_figure figure = {0};

	if (late || sscanf(said, "%lf %u", &figure.rate, &figure.again) != 2)
		figure = (struct pair_figure){0};
	t->done(t->arg, &figure);
}

int pair_talk_begin(struct pair_talk *t, const struct pair_talk_wish *wish,
		    struct err *err)
{
	const struct subprocess_spec spec = {
		.run = run_child,
		.arg = wish,
		.flags = SUBPROCESS_HANGS,
	};

	t->said = (struct subprocess_text){
		.loop = t->loop,
		.max = 63,
		.done = finish,
		.arg = t,
	};
	return subprocess_text_begin(&t->said, &spec, PAIR_MS + LATE_MS, err);
}

void pair_talk_close(struct pair_talk *t)
{
	subprocess_text_drop(&t->said);
	*t = (struct pair_talk){0};
}
