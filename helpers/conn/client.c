/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/client.h"

#include "helpers/conn/message.h"
#include "helpers/conn/pack.h"
#include "helpers/conn/question.h"
#include "sys/socket.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The ports of task 0's node; before them the controller's own beside srun, and
 * the same at that node (helpers/channel/session_beside.c). */
#define WAYS_MAX (2 + LAUNCHERS_TRIES)

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
	struct msgqueue kept; /* to be said when the server is there */
};

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

static void close_others(struct client *c, const struct attempt *a)
{
	loop_disarm(c->step.loop, &c->next);
	for (unsigned i = 0; i < WAYS_MAX; i++)
		if (&c->attempt[i] != a)
			close_attempt(&c->attempt[i]);
}

/* --- what comes from a port --- */

static void on_time_over(void *arg)
{
	struct client *c = arg;

	c->o.late(c->o.arg, c->why ? c->why : ETIMEDOUT);
}

/* Only the server can do that: no other port is of interest. */
static void on_proved(void *arg)
{
	struct attempt *a = arg;
	struct client *c = a->client;
	struct msgbuf *hello =
		msgbuf_new(c->o.hello_type ? c->o.hello_type : MSG_HELLO,
			   c->o.hello, strlen(c->o.hello));

	c->server = a;
	close_others(c, a);
	if (hello)
		secure_conn_send(a->conn, hello);
	msgbuf_drop(hello);
}

static void on_welcome(struct client *c)
{
	c->there = true;
	loop_disarm(c->step.loop, &c->deadline);
	for (struct msgbuf *b; (b = msgqueue_first(&c->kept));
	     msgqueue_drop_first(&c->kept))
		secure_conn_send(c->server->conn, b);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct client *c = ((struct attempt *)arg)->client;

	if (type == MSG_WELCOME)
		on_welcome(c);
	else if (c->there)
		c->o.message(c->o.arg, type, data, n);
}

/* A port that is refused lets the next one be tried at once. */
static void try_after(struct attempt *a)
{
	struct client *c = a->client;

	if (a - c->attempt + 1 == (ptrdiff_t)c->try)
		loop_arm(c->step.loop, &c->next, 0);
}

/* A server that leaves without a welcome is tried again after a pause. */
static void on_lost(void *arg, int why)
{
	struct attempt *a = arg;
	struct client *c = a->client;
	bool was_server = a == c->server;

	c->silent_s = secure_conn_silence_s(a->conn);
	close_attempt(a);
	if (c->there) {
		c->o.lost(c->o.arg, why);
		return;
	}
	c->why = why;
	c->server = NULL;
	if (was_server)
		loop_arm(c->step.loop, &c->next,
			 RETRY_MAX_MS + crowd_ms(c->o.ncrowd));
	else
		try_after(a);
}

/* --- trying --- */

static bool is_any_open(const struct client *c)
{
	for (unsigned i = 0; i < WAYS_MAX; i++)
		if (is_open(&c->attempt[i]))
			return true;
	return false;
}

static bool is_eager(const struct client *c)
{
	return c->o.ncrowd < CROWD && !c->o.ip_of &&
	       loop_now_ms() - c->began_ms < EAGER_MS;
}

/* All ports have been tried: from the beginning, after a pause. */
static void pause_then_retry(struct client *c)
{
	bool queued = is_any_open(c);
	bool waits = queued && c->o.ncrowd >= CROWD && !c->o.ip_of;
	unsigned *pause_ms = queued ? &c->queued_ms : &c->retry_ms;

	c->try = 0;
	c->nrounds++;
	loop_arm(c->step.loop, &c->next, *pause_ms + crowd_ms(c->o.ncrowd));
	*pause_ms =
		next_pause(*pause_ms, waits		       ? QUEUED_MAX_MS
				      : !queued && is_eager(c) ? EAGER_MAX_MS
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

static unsigned long next_ms(const struct client *c)
{
	unsigned long share = (unsigned long)c->o.timeout_s * 1000 / NEXT_SHARE;
	unsigned long ms = NEXT_MS + crowd_ms(c->o.ncrowd);

	return share < ms ? share : ms;
}

static void open_attempt(struct attempt *a);

/* What a port answers to the question for the secret. */
static void on_answer(void *arg, const char *text, int why)
{
	struct attempt *a = arg;
	struct client *c = a->client;
	enum client_now now = CLIENT_NO_SECRET;

	if (text)
		now = c->o.answered(c->o.arg, text);
	close_attempt(a);
	if (now == CLIENT_NO_SECRET) {
		c->why = text ? EBADMSG : why ? why : ECONNRESET;
		try_after(a);
		return;
	}
	c->asks = false;
	close_others(c, a);
	if (now == CLIENT_ENOUGH)
		return;
	c->try = (unsigned)(a - c->attempt) + 1;
	open_attempt(a);
	loop_arm(c->step.loop, &c->next, next_ms(c));
}

/* Where this attempt is to go now; a port of 0: nowhere. Returns whether it has
 * another way than before. */
static bool aim(struct attempt *a)
{
	const struct client *c = a->client;
	unsigned try = (unsigned)(a - c->attempt);
	char other[HOSTLIST_NAME_MAX];
	unsigned port = c->o.port(c->o.port_arg, try);
	const char *ip = c->o.ip_of && port
				 ? c->o.ip_of(c->o.port_arg, try, other)
				 : c->o.ip;
	bool is_new = port != a->port || strcmp(ip, a->ip) != 0;

	a->port = port;
	snprintf(a->ip, sizeof(a->ip), "%s", ip);
	return is_new;
}

static void open_attempt(struct attempt *a)
{
	struct client *c = a->client;
	int fd = socket_connect(a->ip, a->port);
	struct err err;

	if (fd < 0) {
		c->why = errno;
		return;
	}
	a->since_ms = loop_now_ms();
	c->step.port = a->port;
	if (c->asks)
		a->question = question_ask(c->step.loop, c->o.asker, fd,
					   on_answer, a, &err);
	else
		meet(a, fd);
}

static bool is_enough(const struct client *c)
{
	return c->try == 1 && is_eager(c) && !is_any_open(c) &&
	       c->nrounds % ALL_PORTS_IN != ALL_PORTS_IN - 1;
}

static void try_next(void *arg)
{
	struct client *c = arg;
	struct attempt *a = &c->attempt[c->try];
	bool is_new;

	if (is_enough(c))
		return pause_then_retry(c);
	if (c->try < WAYS_MAX && aim(a))
		close_attempt(a);
	if (c->try == WAYS_MAX || !a->port)
		return pause_then_retry(c);
	c->try++;
	if (is_open(a) && loop_now_ms() - a->since_ms >= TRY_MS)
		close_attempt(a);
	is_new = !is_open(a);
	if (is_new)
		open_attempt(a);
	loop_arm(c->step.loop, &c->next, is_new && is_open(a) ? next_ms(c) : 0);
}

/* --- its owner's calls --- */

bool client_is_there(const struct client *c)
{
	return c->there;
}

size_t client_has_come(const struct client *c, bool *ret_more)
{
	size_t come = 0;
	char byte;

	*ret_more = false;
	for (unsigned i = 0; i < WAYS_MAX; i++) {
		const struct secure_conn *conn = c->attempt[i].conn;

		if (!conn)
			continue;
		come += secure_conn_has_come(conn);
		if (recv(secure_conn_fd(conn), &byte, 1, MSG_PEEK) > 0)
			*ret_more = true;
	}
	return come;
}

int client_address(const struct client *c, char ret[IP_TEXT_SIZE])
{
	if (!c->there || !c->server->conn)
		return -1;
	return conn_address(secure_conn_fd(c->server->conn), true, ret);
}

bool client_is_at(const struct client *c, const char *ip, unsigned port)
{
	return c->server && c->server->port == port &&
	       !strcmp(c->server->ip, ip);
}

int client_why(const struct client *c)
{
	return c->why;
}

long client_silence_s(const struct client *c)
{
	return c->silent_s;
}

void client_send(struct client *c, char type, const char *data, size_t n)
{
	struct msgbuf *msgbuf = msgbuf_new(type, data, n);

	if (!msgbuf)
		return;
	if (!c->there)
		msgqueue_add(&c->kept, msgbuf);
	else if (c->server->conn)
		secure_conn_send(c->server->conn, msgbuf);
	msgbuf_drop(msgbuf);
}

struct client *client_open(const struct client_options *options,
			   struct err *err)
{
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		return err_memory_null(err);
	c->o = *options;
	c->step = *options->step;
	c->asks = options->answered;
	for (unsigned i = 0; i < WAYS_MAX; i++)
		c->attempt[i].client = c;
	msgqueue_init(&c->kept);
	c->began_ms = loop_now_ms();
	c->retry_ms = RETRY_MS;
	c->queued_ms = RETRY_MAX_MS;
	c->next = (struct loop_timer){.expired = try_next, .arg = c};
	c->deadline = (struct loop_timer){.expired = on_time_over, .arg = c};
	loop_arm(c->step.loop, &c->deadline,
		 (unsigned long)options->timeout_s * 1000);
	loop_arm(c->step.loop, &c->next, crowd_ms(c->o.ncrowd) / FIRST_SHARE);
	return c;
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

void client_take_back(struct client *c,
		      void (*take)(void *arg, char type, const char *data,
				   size_t n),
		      void *arg)
{
	for (struct msgbuf *b; (b = msgqueue_first(&c->kept));
	     msgqueue_drop_first(&c->kept))
		take_back(b, take, arg);
}

void client_close(struct client *c)
{
	if (!c)
		return;
	loop_disarm(c->step.loop, &c->next);
	loop_disarm(c->step.loop, &c->deadline);
	for (unsigned i = 0; i < WAYS_MAX; i++)
		close_attempt(&c->attempt[i]);
	msgqueue_clear(&c->kept);
	free(c);
}
