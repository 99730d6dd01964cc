/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/client.h"

#include "core/base/cleanup.h"
#include "helpers/conn/client_pace.h"
#include "helpers/conn/pack.h"
#include "helpers/conn/question.h"
#include "helpers/conn/secure_conn.h"
#include "sys/socket.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The ports of task 0's node; before them the controller's own beside srun, and
 * the same at that node (helpers/channel/session_beside.c). */
#define WAYS_MAX (2 + LAUNCHERS_TRIES)

/* What is to be said when the server is there. */
struct kept {
	struct kept *next;
	struct msgbuf *msgbuf;
};

/* A connection to one of the ports. */
struct attempt {
	struct client *client;
	struct secure_conn *conn; /* NULL: none; or */
	struct question *question;
	uint64_t since_ms;
	char ip[HOSTLIST_NAME_MAX];
	unsigned port;
};

struct client {
	struct client_options o;
	struct secure_conn_step step;
	struct attempt attempt[WAYS_MAX];
	struct attempt *server; /* the one that has proved itself, or NULL */
	bool there;		/* and has welcomed us */
	bool asks;		/* for the secret */
	uint64_t began_ms;
	unsigned nrounds; /* over the ports */
	unsigned try, retry_ms, queued_ms;
	int why;       /* the last attempt failed */
	long silent_s; /* before the server was lost */
	struct loop_timer next, deadline;
	struct kept *first, **last;
};

static void drop_kept(struct client *m)
{
	while (m->first) {
		struct kept *k = m->first;

		m->first = k->next;
		msgbuf_drop(k->msgbuf);
		free(k);
	}
	m->last = &m->first;
}

static void close_attempt(struct attempt *a)
{
	secure_conn_close(a->conn);
	a->conn = NULL;
	question_close(a->question);
	a->question = NULL;
}

static bool is_open(const struct attempt *a)
{
	return a->conn || a->question;
}

static void close_others(struct client *m, const struct attempt *a)
{
	loop_disarm(m->step.loop, &m->next);
	for (unsigned i = 0; i < WAYS_MAX; i++)
		if (&m->attempt[i] != a)
			close_attempt(&m->attempt[i]);
}

static void keep(struct client *m, struct msgbuf *msgbuf)
{
	struct kept *k = malloc(sizeof(*k));

	if (!k) {
		msgbuf_drop(msgbuf);
		return;
	}
	*k = (struct kept){.msgbuf = msgbuf};
	*m->last = k;
	m->last = &k->next;
}

/* --- what comes from a port --- */

static void on_time_over(void *arg)
{
	struct client *m = arg;

	m->o.late(m->o.arg, m->why ? m->why : ETIMEDOUT);
}

/* Only the server can do that: no other port is of interest. */
static void on_proved(void *arg)
{
	struct attempt *a = arg;
	struct client *m = a->client;
	struct msgbuf *hello =
		msgbuf_new(m->o.hello_type, m->o.hello, strlen(m->o.hello));

	m->server = a;
	close_others(m, a);
	if (hello)
		secure_conn_send(a->conn, hello);
	msgbuf_drop(hello);
}

static void on_welcome(struct client *m)
{
	m->there = true;
	loop_disarm(m->step.loop, &m->deadline);
	for (struct kept *k = m->first; k; k = k->next)
		secure_conn_send(m->server->conn, k->msgbuf);
	drop_kept(m);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct client *m = ((struct attempt *)arg)->client;

	if (type == m->o.welcome_type)
		on_welcome(m);
	else if (m->there)
		m->o.message(m->o.arg, type, data, n);
}

/* A port that is refused lets the next one be tried at once. */
static void try_after(struct attempt *a)
{
	struct client *m = a->client;

	if (a - m->attempt + 1 == (ptrdiff_t)m->try)
		loop_arm(m->step.loop, &m->next, 0);
}

/* A server that leaves without a welcome is tried again after a pause. */
static void on_lost(void *arg, int why)
{
	struct attempt *a = arg;
	struct client *m = a->client;
	bool was_server = a == m->server;

	m->silent_s = secure_conn_silence_s(a->conn);
	close_attempt(a);
	if (m->there) {
		m->o.lost(m->o.arg, why);
		return;
	}
	m->why = why;
	m->server = NULL;
	if (was_server)
		loop_arm(m->step.loop, &m->next,
			 RETRY_MAX_MS + crowd_ms(m->o.ncrowd));
	else
		try_after(a);
}

/* --- trying --- */

static bool is_any_open(const struct client *m)
{
	for (unsigned i = 0; i < WAYS_MAX; i++)
		if (is_open(&m->attempt[i]))
			return true;
	return false;
}

static bool is_eager(const struct client *m)
{
	return m->o.ncrowd < CROWD && !m->o.ip_of &&
	       loop_now_ms() - m->began_ms < EAGER_MS;
}

/* All ports have been tried: from the beginning, after a pause. */
static void pause_then_retry(struct client *m)
{
	bool queued = is_any_open(m);
	bool waits = queued && m->o.ncrowd >= CROWD && !m->o.ip_of;
	unsigned *pause_ms = queued ? &m->queued_ms : &m->retry_ms;

	m->try = 0;
	m->nrounds++;
	loop_arm(m->step.loop, &m->next, *pause_ms + crowd_ms(m->o.ncrowd));
	*pause_ms =
		next_pause(*pause_ms, waits		       ? QUEUED_MAX_MS
				      : !queued && is_eager(m) ? EAGER_MAX_MS
							       : RETRY_MAX_MS);
}

static void meet(struct attempt *a, int fd)
{
	struct secure_conn_events events = {
		.opened = on_proved,
		.lost = on_lost,
		.arg = a,
		.message = on_message,
		.message_arg = a,
	};
	struct err err;

	a->conn = secure_conn_new(&a->client->step, fd, true, &events, &err);
}

static unsigned long next_ms(const struct client *m)
{
	unsigned long share = (unsigned long)m->o.timeout_s * 1000 / NEXT_SHARE;
	unsigned long ms = NEXT_MS + crowd_ms(m->o.ncrowd);

	return share < ms ? share : ms;
}

static void open_attempt(struct attempt *a);

/* What a port answers to the question for the secret. */
static void on_answer(void *arg, const char *text, int why)
{
	struct attempt *a = arg;
	struct client *m = a->client;
	enum client_now now = CLIENT_NO_SECRET;

	if (text)
		now = m->o.answered(m->o.arg, text);
	close_attempt(a);
	if (now == CLIENT_NO_SECRET) {
		m->why = text ? EBADMSG : why ? why : ECONNRESET;
		try_after(a);
		return;
	}
	m->asks = false;
	close_others(m, a);
	if (now == CLIENT_ENOUGH)
		return;
	m->try = (unsigned)(a - m->attempt) + 1;
	open_attempt(a);
	loop_arm(m->step.loop, &m->next, next_ms(m));
}

/* Where this attempt is to go now; a port of 0: nowhere. Returns whether it has
 * another way than before. */
static bool aim(struct attempt *a)
{
	const struct client *m = a->client;
	unsigned try = (unsigned)(a - m->attempt);
	char other[HOSTLIST_NAME_MAX];
	unsigned port = m->o.port(m->o.port_arg, try);
	const char *ip = m->o.ip_of && port
				 ? m->o.ip_of(m->o.port_arg, try, other)
				 : m->o.ip;
	bool is_new = port != a->port || strcmp(ip, a->ip) != 0;

	a->port = port;
	snprintf(a->ip, sizeof(a->ip), "%s", ip);
	return is_new;
}

static void open_attempt(struct attempt *a)
{
	struct client *m = a->client;
	int fd = socket_connect(a->ip, a->port);
	struct err err;

	if (fd < 0) {
		m->why = errno;
		return;
	}
	a->since_ms = loop_now_ms();
	m->step.port = a->port;
	if (m->asks)
		a->question = question_ask(m->step.loop, m->o.asker, fd,
					   on_answer, a, &err);
	else
		meet(a, fd);
}

static bool is_enough(const struct client *m)
{
	return m->try == 1 && is_eager(m) && !is_any_open(m) &&
	       m->nrounds % ALL_PORTS_IN != ALL_PORTS_IN - 1;
}

static void try_next(void *arg)
{
	struct client *m = arg;
	struct attempt *a = &m->attempt[m->try];
	bool is_new;

	if (is_enough(m))
		return pause_then_retry(m);
	if (m->try < WAYS_MAX && aim(a))
		close_attempt(a);
	if (m->try == WAYS_MAX || !a->port)
		return pause_then_retry(m);
	m->try++;
	if (is_open(a) && loop_now_ms() - a->since_ms >= TRY_MS)
		close_attempt(a);
	is_new = !is_open(a);
	if (is_new)
		open_attempt(a);
	loop_arm(m->step.loop, &m->next, is_new && is_open(a) ? next_ms(m) : 0);
}

/* --- its owner's calls --- */

bool client_is_there(const struct client *m)
{
	return m->there;
}

size_t client_has_come(const struct client *m, bool *ret_more)
{
	size_t come = 0;
	char byte;

	*ret_more = false;
	for (unsigned i = 0; i < WAYS_MAX; i++) {
		const struct secure_conn *conn = m->attempt[i].conn;

		if (!conn)
			continue;
		come += secure_conn_has_come(conn);
		if (recv(secure_conn_fd(conn), &byte, 1, MSG_PEEK) > 0)
			*ret_more = true;
	}
	return come;
}

int client_address(const struct client *m, char ret[IP_TEXT_SIZE])
{
	if (!m->there || !m->server->conn)
		return -1;
	return conn_address(secure_conn_fd(m->server->conn), true, ret);
}

bool client_is_at(const struct client *m, const char *ip, unsigned port)
{
	return m->server && m->server->port == port &&
	       !strcmp(m->server->ip, ip);
}

int client_why(const struct client *m)
{
	return m->why;
}

long client_silence_s(const struct client *m)
{
	return m->silent_s;
}

void client_send(struct client *m, char type, const char *data, size_t n)
{
	struct msgbuf *msgbuf = msgbuf_new(type, data, n);

	if (!msgbuf)
		return;
	if (!m->there) {
		keep(m, msgbuf);
		return;
	}
	if (m->server->conn)
		secure_conn_send(m->server->conn, msgbuf);
	msgbuf_drop(msgbuf);
}

struct client *client_open(const struct client_options *options,
			   struct err *err)
{
	struct client *m = calloc(1, sizeof(*m));

	if (!m) {
		err_memory(err);
		return NULL;
	}
	m->o = *options;
	m->step = *options->step;
	m->asks = options->answered;
	for (unsigned i = 0; i < WAYS_MAX; i++)
		m->attempt[i].client = m;
	m->last = &m->first;
	m->began_ms = loop_now_ms();
	m->retry_ms = RETRY_MS;
	m->queued_ms = RETRY_MAX_MS;
	m->next = (struct loop_timer){.expired = try_next, .arg = m};
	m->deadline = (struct loop_timer){.expired = on_time_over, .arg = m};
	loop_arm(m->step.loop, &m->deadline,
		 (unsigned long)options->timeout_s * 1000);
	loop_arm(m->step.loop, &m->next, crowd_ms(m->o.ncrowd) / FIRST_SHARE);
	return m;
}

static void take_back(const struct msgbuf *b,
		      void (*take)(void *arg, char type, const char *data,
				   size_t n),
		      void *arg)
{
	bool packed = b->data[0] == MSGBUF_PACKED;
	size_t n = b->n;
	cleanup_free char *text =
		packed ? unpack(b->data + 1, n - 1, SIZE_MAX / 2, &n)
		       : malloc(n + 1);

	if (!text)
		return;
	if (!packed) {
		memcpy(text, b->data, n);
		text[n] = '\0';
	}
	take(arg, *text, text + 1, n - 1);
}

void client_take_back(struct client *m,
		      void (*take)(void *arg, char type, const char *data,
				   size_t n),
		      void *arg)
{
	for (struct kept *k = m->first; k; k = k->next)
		take_back(k->msgbuf, take, arg);
	drop_kept(m);
}

void client_close(struct client *m)
{
	if (!m)
		return;
	loop_disarm(m->step.loop, &m->next);
	loop_disarm(m->step.loop, &m->deadline);
	for (unsigned i = 0; i < WAYS_MAX; i++)
		close_attempt(&m->attempt[i]);
	drop_kept(m);
	free(m);
}
