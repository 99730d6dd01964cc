/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/gather/fetch.h"

#include "core/base/ip.h"
#include "core/facts/job.h"
#include "helpers/conn/client.h"
#include "helpers/conn/connections.h"
#include "helpers/conn/message.h"
#include "helpers/conn/pack.h"
#include "helpers/gather/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (256UL << 20) /* as of any message */

struct fetch {
	struct fetch_options o;
	struct secure_conn_step step;
	char id[JOB_STEP_SIZE + 16];
	bool has_text;
	/* an inner member */
	struct msgbuf *text; /* NULL: it is none */
	struct connections guests;
	/* another one */
	struct client *client;
	char ip[IP_TEXT_SIZE], digest[DIGEST_SIZE];
	unsigned port;
	size_t come; /* of the text, when it was last looked at */
	struct loop_timer patience;
};

/* --- the text --- */

/* It is a message as it would have come: packed, or as it is. Returns 0 or
 * -1. */
static int take_text(struct fetch *f, const char *data, size_t n)
{
	cleanup_free char *plain = NULL;

	if (f->has_text || !n)
		return -1;
	if (*data == MSGBUF_PACKED) {
		plain = unpack(data + 1, n - 1, TEXT_MAX, &n);
		data = plain;
	}
	if (!data)
		return -1;
	f->has_text = true;
	f->o.message(f->o.arg, data[0], data + 1, n - 1);
	return 0;
}

/* --- an inner member --- */

static void on_guest(void *arg, char type, const char *data, size_t n)
{
	struct connection *c = arg;
	const struct fetch *f = c->all->owner;
	struct msgbuf *welcome;

	(void)data;
	(void)n;
	if (type != MSG_HELLO || c->visits) {
		connection_drop(c);
		return;
	}
	c->visits = true;
	connection_is_known(c);
	welcome = msgbuf_new(MSG_WELCOME, "", 0);
	if (welcome && secure_conn_send(c->conn, welcome) == 0)
		secure_conn_send(c->conn, f->text);
	msgbuf_drop(welcome);
}

static void on_guest_left(void *arg, int why)
{
	(void)why;
	connection_drop(arg);
}

static void say_nothing(void *arg, const char *line)
{
	(void)arg;
	(void)line; /* another port does as well */
}

static unsigned listen_for_guests(struct fetch *f)
{
	struct err err;

	f->guests = (struct connections){
		.step = f->step,
		.ip = f->o.ip,
		.node = f->o.node,
		.nmembers = f->o.n,
		.message = on_guest,
		.lost = on_guest_left,
		.owner = f,
		.say = say_nothing,
	};
	connections_init(&f->guests);
	if (connections_listen(&f->guests, f->o.port, f->o.port_arg, &err) < 0)
		return 0;
	return f->guests.step.port;
}

/* The branch comes first: it needn't wait for what this launcher makes of the
 * text. */
static void be_inner(struct fetch *f, const char *data, size_t n)
{
	char port[16];

	if (f->text || f->has_text)
		return;
	f->text = msgbuf_as_is(MSG_SPREAD, data, n);
	snprintf(port, sizeof(port), "%u", f->text ? listen_for_guests(f) : 0);
	f->o.send(f->o.arg, MSG_SERVES, port, strlen(port));
	take_text(f, data, n);
}

/* --- another one --- */

static uint64_t patience_ms(const struct fetch *f)
{
	return FETCH_MS + (uint64_t)f->o.n * FETCH_MEMBER_MS;
}

static void close_client(struct fetch *f)
{
	loop_disarm(f->step.loop, &f->patience);
	client_close(f->client);
	f->client = NULL;
}

static void ask_server(struct fetch *f)
{
	close_client(f);
	f->o.send(f->o.arg, MSG_ASK, "", 0);
}

/* Whatever has come meanwhile gives it as much time again. */
static void on_patience(void *arg)
{
	struct fetch *f = arg;
	bool more;
	size_t come = client_has_come(f->client, &more);

	if (come == f->come && !more) {
		ask_server(f);
		return;
	}
	f->come = come;
	loop_arm(f->step.loop, &f->patience, patience_ms(f));
}

static void on_late(void *arg, int why)
{
	(void)why;
	ask_server(arg);
}

static void on_text(void *arg, char type, const char *data, size_t n)
{
	struct fetch *f = arg;
	char digest[DIGEST_SIZE];

	digest_make(data, n, digest);
	if (type != MSG_SPREAD || strcmp(digest, f->digest) != 0 ||
	    take_text(f, data, n) < 0)
		ask_server(f);
	else
		close_client(f);
}

static unsigned inner_port(const void *arg, unsigned try)
{
	const struct fetch *f = arg;

	return try ? 0 : f->port;
}

/* PORT DIGEST IP */
static int note_where(struct fetch *f, const char *data)
{
	size_t n;
	long port;

	if (message_number(&data, 1, UINT16_MAX, &port) < 0)
		return -1;
	n = strcspn(data, " ");
	if (n != DIGEST_SIZE - 1 || data[n] != ' ' ||
	    strlen(data + n + 1) >= sizeof(f->ip))
		return -1;
	memcpy(f->digest, data, n);
	strcpy(f->ip, data + n + 1);
	f->port = (unsigned)port;
	return 0;
}

static void go_and_get(struct fetch *f, const char *data)
{
	struct client_options options = {
		.step = &f->step,
		.ip = f->ip,
		.hello = "",
		.timeout_s = (long)patience_ms(f) / 1000,
		.port = inner_port,
		.port_arg = f,
		.message = on_text,
		.late = on_late,
		.lost = on_late,
		.arg = f,
	};
	struct err err;

	if (f->has_text || f->client || note_where(f, data) < 0)
		return;
	f->come = 0;
	f->client = client_open(&options, &err);
	if (f->client)
		loop_arm(f->step.loop, &f->patience, patience_ms(f));
	else
		ask_server(f);
}

/* --- its owner's calls --- */

bool fetch_message(struct fetch *f, char type, const char *data, size_t n)
{
	if (type == MSG_SPREAD)
		be_inner(f, data, n);
	else if (type == MSG_FETCH)
		go_and_get(f, data);
	return type == MSG_SPREAD || type == MSG_FETCH;
}

struct fetch *fetch_new(const struct fetch_options *options)
{
	struct fetch *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->o = *options;
	f->step = *options->step;
	snprintf(f->id, sizeof(f->id), "%s spread", options->step->id);
	f->step.id = f->id;
	f->step.message_max = 0;
	f->guests.listening.fd = -1;
	f->patience = (struct loop_timer){.expired = on_patience, .arg = f};
	return f;
}

void fetch_free(struct fetch *f)
{
	if (!f)
		return;
	close_client(f);
	if (f->text)
		connections_close(&f->guests);
	msgbuf_drop(f->text);
	free(f);
}
