/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/connections.h"

#include "core/base/array.h"
#include "helpers/auth/giver.h"
#include "helpers/conn/message.h"
#include "helpers/conn/msgbuf.h"
#include "helpers/conn/question.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Newcomers, or as many as there are members; fewer where members and files of
 * this process need the descriptors. */
#define NEWCOMERS_MAX 1024
#define NEWCOMERS_MIN 16
#define OTHER_FILES   256
#define HELLO_MS      10000 /* for a newcomer to prove and to name itself */
#define BATCH	      64    /* accepted before those who are here are heard */
#define CROWD	      256   /* newcomers; of more few are accepted at once */
#define CROWD_BATCH   4	    /* for each of them has to be heard three times */
#define PAUSE_MS      20    /* nobody can be accepted */
#define LINE_SIZE     512

/* --- one connection --- */

void connection_drop(struct connection *c)
{
	struct connections *all = c->all;

	if (c->conn) {
		secure_conn_close(c->conn);
	} else {
		giving_close(c->giving);
		loop_remove(all->step.loop, &c->silent);
		close_fd(&c->silent.fd);
	}
	all->nknown -= !c->newcomer.source;
	newcomers_remove(&all->newcomers, &c->newcomer);
	LIST_REMOVE(c);
	free(c);
}

void connection_is_known(struct connection *c)
{
	newcomers_remove(&c->all->newcomers, &c->newcomer);
	c->all->nknown++;
}

void connection_welcome(struct connection *c, unsigned member, const char *node)
{
	struct msgbuf *msgbuf = msgbuf_new(MSG_WELCOME, "", 0);

	snprintf(c->node, sizeof(c->node), "%s", node);
	c->member = member;
	connection_is_known(c);
	if (msgbuf)
		secure_conn_send(c->conn, msgbuf);
	msgbuf_drop(msgbuf);
}

static void on_proved(void *arg)
{
	(void)arg; /* the next message is its MSG_HELLO */
}

static void on_given(void *arg)
{
	connection_drop(arg);
}

/* Returns whether it asks for the secret; what is to be done then is done. */
static bool answer_question(struct connection *c)
{
	struct connections *all = c->all;
	const char *answer;

	if (all->giver && giver_is_asked(c->silent.fd)) {
		loop_remove(all->step.loop, &c->silent);
		c->giving = giving_begin(all->giver, c->silent.fd, on_given, c);
		if (!c->giving)
			connection_drop(c);
		return true;
	}
	if (!all->answer || !question_take(c->silent.fd))
		return false;
	answer = all->answer(all->owner);
	if (answer)
		question_answer(c->silent.fd, answer);
	connection_drop(c);
	return true;
}

/* Only now it is worth a sealed connection, with its buffers and keys. */
static void on_first_byte(void *arg, uint32_t events)
{
	struct connection *c = arg;
	struct connections *all = c->all;
	struct secure_conn_events calls = {
		.opened = on_proved,
		.lost = all->lost,
		.arg = c,
		.message = all->message,
		.message_arg = c,
	};
	struct err err;
	char byte;

	(void)events;
	if (answer_question(c))
		return;
	if (recv(c->silent.fd, &byte, 1, MSG_PEEK) != 1) {
		connection_drop(c);
		return;
	}
	loop_remove(all->step.loop, &c->silent);
	c->conn =
		secure_conn_new(&all->step, c->silent.fd, false, &calls, &err);
	if (c->conn)
		return;
	c->silent.fd = -1; /* closed already */
	connection_drop(c);
}

static void add_connection(struct connections *all, int fd,
			   const union newcomer_address *from)
{
	struct connection *c = calloc(1, sizeof(*c));
	struct err err;

	if (!c || newcomers_add(&all->newcomers, &c->newcomer, c, from,
				loop_now_ms()) < 0) {
		free(c);
		close(fd);
		return;
	}
	c->all = all;
	c->member = NOBODY;
	c->silent =
		(struct loop_watch){.fd = fd, .ready = on_first_byte, .arg = c};
	LIST_ADD(&all->first, c);
	if (loop_watch(all->step.loop, &c->silent, EPOLLIN, &err) < 0)
		connection_drop(c);
	else if (!all->slowest.armed)
		loop_arm(all->step.loop, &all->slowest, HELLO_MS);
}

/* All have the same time, so the oldest is the next whose time is over. */
static void drop_the_slow(void *arg)
{
	struct connections *all = arg;
	uint64_t now = loop_now_ms();
	const struct newcomer *n;

	while ((n = all->newcomers.oldest) && now - n->since_ms >= HELLO_MS)
		all->lost(n->connection, ETIMEDOUT);
	if (n)
		loop_arm(all->step.loop, &all->slowest,
			 n->since_ms + HELLO_MS - now);
}

/* --- accepting --- */

static void listen_again(void *arg)
{
	struct connections *all = arg;
	struct err err;

	loop_watch(all->step.loop, &all->listening, EPOLLIN, &err);
}

static void pause_accepting(struct connections *all)
{
	loop_remove(all->step.loop, &all->listening);
	loop_arm(all->step.loop, &all->pause, PAUSE_MS);
}

static bool make_room(struct connections *all)
{
	struct newcomer *goes =
		newcomers_who_goes(&all->newcomers, all->max, loop_now_ms());

	if (goes)
		all->lost(goes->connection, 0);
	return goes;
}

static rlim_t file_limit(void)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) < 0 ? 0 : files.rlim_cur;
}

/* No stranger is left whose descriptor a member could have: once is enough. */
static void say_full(struct connections *all)
{
	char line[LINE_SIZE];

	if (all->said_full || all->newcomers.n)
		return;
	all->said_full = true;
	snprintf(line, sizeof(line),
		 "dist-train: too many open files on %s: %u of %u launchers "
		 "are connected, the limit is %llu (ulimit -n), and %u are "
		 "enough; raise it before srun or sbatch, or slurmd's "
		 "(LimitNOFILE), or have one launcher per node "
		 "(--ntasks-per-node=1)\n",
		 all->node, all->nknown + 1, all->nmembers,
		 (unsigned long long)file_limit(), all->nmembers + OTHER_FILES);
	all->say(all->say_arg, line);
}

/* Returns whether the next one may be accepted at once. */
static bool accept_failed(struct connections *all)
{
	switch (errno) {
	case EAGAIN:
		return false;
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		if (make_room(all))
			return true;
		say_full(all);
		pause_accepting(all);
		return false;
	default:
		return true; /* the peer has gone already */
	}
}

static unsigned batch(const struct connections *all)
{
	return all->newcomers.n < CROWD ? BATCH : CROWD_BATCH;
}

static void on_connect(void *arg, uint32_t events)
{
	struct connections *all = arg;

	(void)events;
	for (unsigned i = 0; i < batch(all); i++) {
		union newcomer_address from = {.any.sa_family = AF_UNSPEC};
		socklen_t len = sizeof(from);
		int fd;

		if (all->newcomers.n > all->max && !make_room(all)) {
			pause_accepting(all);
			return;
		}
		fd = accept4(all->listening.fd, &from.any, &len,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			add_connection(all, fd, &from);
		else if (!accept_failed(all))
			return;
	}
}

/* --- listening --- */

void connections_init(struct connections *all)
{
	rlim_t limit = file_limit(), taken = all->nmembers + OTHER_FILES;
	rlim_t room = limit > taken ? limit - taken : 0;
	unsigned crowd =
		all->nmembers > NEWCOMERS_MAX ? all->nmembers : NEWCOMERS_MAX;

	if (room < NEWCOMERS_MIN)
		room = NEWCOMERS_MIN;
	all->max = room < crowd ? (unsigned)room : crowd;
	all->listening = (struct loop_watch){
		.fd = -1,
		.ready = on_connect,
		.arg = all,
	};
	all->pause = (struct loop_timer){.expired = listen_again, .arg = all};
	all->slowest =
		(struct loop_timer){.expired = drop_the_slow, .arg = all};
}

static void say_busy(struct connections *all, unsigned busy)
{
	char line[LINE_SIZE];

	snprintf(line, sizeof(line),
		 "dist-train: port %u on %s is in use, by another program or "
		 "another user there; the step's launchers meet at port %u\n",
		 busy, all->node, all->step.port);
	all->say(all->say_arg, line);
}

int connections_bind(struct connections *all,
		     unsigned (*port)(const void *arg, unsigned try),
		     const void *arg, struct err *err)
{
	unsigned at, try = 0;

	for (; (at = port(arg, try)) != 0; try++) {
		all->listening.fd = socket_listen(all->ip, at, SOMAXCONN);
		if (all->listening.fd >= 0)
			break;
		if (errno != EADDRINUSE)
			return err_printf(
				err,
				"port %u can't be opened for connections: %s",
				at, strerror(errno));
	}
	if (!at)
		return err_printf(err,
				  "%u ports for the launchers were tried, and "
				  "all are in use",
				  try);
	all->step.port = at;
	if (try)
		say_busy(all, port(arg, 0));
	return 0;
}

int connections_give(struct connections *all)
{
	int fd = all->listening.fd;

	all->listening.fd = -1;
	return fd;
}

int connections_take(struct connections *all, int fd, struct err *err)
{
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &size) < 0)
		return err_printf(err, "descriptor %d is no port: %s", fd,
				  strerror(errno));
	all->listening.fd = fd;
	/* In the same place for both families */
	all->step.port = ntohs(((struct sockaddr_in *)&at)->sin_port);
	return 0;
}

int connections_accept(struct connections *all, struct err *err)
{
	return loop_watch(all->step.loop, &all->listening, EPOLLIN, err);
}

int connections_listen(struct connections *all,
		       unsigned (*port)(const void *arg, unsigned try),
		       const void *arg, struct err *err)
{
	if (connections_bind(all, port, arg, err) < 0)
		return -1;
	return connections_accept(all, err);
}

void connections_close(struct connections *all)
{
	while (all->first)
		connection_drop(all->first);
	connections_shut(all);
}

void connections_shut(struct connections *all)
{
	loop_disarm(all->step.loop, &all->pause);
	loop_disarm(all->step.loop, &all->slowest);
	loop_remove(all->step.loop, &all->listening);
	close_fd(&all->listening.fd);
}
