/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/client.h"

#include "helpers/channel/message.h"
#include "sys/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Between two rounds over all ports: at first often, because all launchers of
 * a step start together, then ever less. */
#define RETRY_MS     10
#define RETRY_MAX_MS 1000
#define TRY_MS	     3000 /* for one port to answer: it may be a stranger's */

/* What is to be said when the server is there. */
struct kept {
	struct kept *next;
	struct msgbuf *msgbuf;
};

struct client {
	struct client_options o;
	struct secure_conn_step step;
	struct secure_conn *conn; /* NULL: between two tries */
	bool there;		  /* the server has proved itself */
	unsigned try, retry_ms;
	int why; /* of the last try */
	struct loop_timer retry, deadline;
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

static void give_up(struct client *m, int why)
{
	loop_disarm(m->step.loop, &m->retry);
	loop_disarm(m->step.loop, &m->deadline);
	secure_conn_close(m->conn);
	m->conn = NULL;
	drop_kept(m);
	m->o.lost(m->o.arg, m->there, why);
}

static void too_late(void *arg)
{
	struct client *m = arg;

	give_up(m, m->why ? m->why : ETIMEDOUT);
}

static void on_opened(void *arg)
{
	struct client *m = arg;

	m->there = true;
	loop_disarm(m->step.loop, &m->deadline);
	loop_disarm(m->step.loop, &m->retry);
	for (struct kept *k = m->first; k; k = k->next)
		secure_conn_send(m->conn, k->msgbuf);
	drop_kept(m);
}

static void try_next(void *arg);

static void on_lost(void *arg, int why)
{
	struct client *m = arg;

	if (m->there) {
		give_up(m, why);
		return;
	}
	secure_conn_close(m->conn);
	m->conn = NULL;
	m->why = why;
	loop_arm(m->step.loop, &m->retry, 0);
}

/* The ports are used up: from the beginning, after a pause. */
static void pause_then_retry(struct client *m)
{
	m->try = 0;
	loop_arm(m->step.loop, &m->retry, m->retry_ms);
	if (m->retry_ms < RETRY_MAX_MS)
		m->retry_ms *= 2;
}

static void try_next(void *arg)
{
	struct client *m = arg;
	unsigned port = m->o.port(m->o.port_arg, m->try);
	struct secure_conn_events events = {
		.opened = on_opened,
		.lost = on_lost,
		.arg = m,
		.message = m->o.message,
		.message_arg = m->o.arg,
	};
	struct err err;
	int fd;

	secure_conn_close(m->conn);
	m->conn = NULL;
	if (!port) {
		pause_then_retry(m);
		return;
	}
	m->try++;
	fd = socket_connect(m->o.ip, port);
	m->step.port = port;
	if (fd >= 0)
		m->conn = secure_conn_new(&m->step, fd, true, &events, &err);
	else
		m->why = errno;
	loop_arm(m->step.loop, &m->retry, m->conn ? TRY_MS : 0);
}

bool client_is_there(const struct client *m)
{
	return m->there;
}

void client_send(struct client *m, char type, const char *data, size_t n)
{
	struct msgbuf *msgbuf = msgbuf_new(type, data, n);
	struct kept *k;

	if (msgbuf && m->there && m->conn) {
		secure_conn_send(m->conn, msgbuf);
	} else if (msgbuf && (k = malloc(sizeof(*k)))) {
		*k = (struct kept){.msgbuf = msgbuf};
		*m->last = k;
		m->last = &k->next;
		return;
	}
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
	m->last = &m->first;
	m->retry_ms = RETRY_MS;
	m->retry = (struct loop_timer){.expired = try_next, .arg = m};
	m->deadline = (struct loop_timer){.expired = too_late, .arg = m};
	loop_arm(m->step.loop, &m->deadline,
		 (unsigned long)options->timeout_s * 1000);
	loop_arm(m->step.loop, &m->retry, 0);
	client_send(m, MSG_HELLO, options->hello, strlen(options->hello));
	return m;
}

void client_close(struct client *m)
{
	if (!m)
		return;
	loop_disarm(m->step.loop, &m->retry);
	loop_disarm(m->step.loop, &m->deadline);
	secure_conn_close(m->conn);
	drop_kept(m);
	free(m);
}
