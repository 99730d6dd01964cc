/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/server.h"

#include "core/base/hostlist.h"
#include "sys/net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 256   /* who have connected and not proved the secret */
#define GUEST_MS	10000 /* the time they have to say who they are */
#define YOUNG_MS	1000  /* that even a full house gives them */
#define NOBODY		(~0U)
#define PAUSE_MS	20   /* in which nobody is let in, when all are young */
#define LEAVE_MS	2000 /* for members to take their last message */

/* A connection, which begins as that of a connection. */
struct connection {
	struct server *server;
	struct secure_conn *conn;
	struct connection *next, **prev;
	struct loop_timer hello;
	uint64_t since_ms;
	bool proved;	 /* it has the secret */
	unsigned member; /* or NOBODY */
	char node[HOSTLIST_NAME_MAX];
};

struct server {
	struct server_options o;
	struct secure_conn_step step;
	struct arbiter *arbiter;
	struct connection *
		*member; /* by number; NULL: not here; 0: ourselves */
	struct connection *connections; /* all connections */
	unsigned nguests; /* those that haven't proved the secret */
	struct loop_watch listening;
	struct loop_timer last_wait, pause;
	bool ending; /* all have been told to end their processes */
	bool leaving;
	char leave_code[16];
};

struct arbiter *server_arbiter(struct server *server)
{
	return server->arbiter;
}

bool server_has(const struct server *server, unsigned member)
{
	return member == 0 || server->member[member];
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int server_nodes(const struct server *server, struct server_nodes *ret)
{
	const char **name = calloc(server->o.n, sizeof(*name));
	size_t n = 0;

	if (!name)
		return -1;
	name[n++] = server->o.node;
	for (unsigned i = 1; i < server->o.n; i++)
		if (server->member[i])
			name[n++] = server->member[i]->node;
	qsort(name, n, sizeof(*name), compare);
	*ret = (struct server_nodes){name, n};
	return 0;
}

bool server_nodes_have(const struct server_nodes *nodes, const char *node)
{
	return bsearch(&node, nodes->name, nodes->n, sizeof(node), compare);
}

/* Our own launcher leaves last, when all others have had their word. */
static void leave_too(void *arg)
{
	struct server *server = arg;

	loop_disarm(server->step.loop, &server->last_wait);
	server->o.message(server->o.arg, MSG_LEAVE, server->leave_code,
			  strlen(server->leave_code));
}

static bool is_empty(const struct server *server)
{
	for (unsigned i = 1; i < server->o.n; i++)
		if (server->member[i])
			return false;
	return true;
}

static void forget(struct connection *g)
{
	struct server *server = g->server;

	loop_disarm(server->step.loop, &g->hello);
	secure_conn_close(g->conn);
	*g->prev = g->next;
	if (g->next)
		g->next->prev = g->prev;
	server->nguests -= !g->proved;
	if (g->member != NOBODY)
		server->member[g->member] = NULL;
	free(g);
}

static void connection_lost(void *arg, int why)
{
	struct connection *g = arg;
	struct server *server = g->server;
	unsigned member = g->member;
	char node[HOSTLIST_NAME_MAX];

	memcpy(node, g->node, sizeof(node));
	forget(g);
	if (member == NOBODY)
		return;
	if (!server->leaving)
		arbiter_lost(server->arbiter, member, node, why,
			     server->step.lease_s);
	else if (is_empty(server))
		leave_too(server);
}

static void connection_opened(void *arg)
{
	struct connection *g = arg;

	g->proved = true; /* the next message is its MSG_HELLO */
	g->server->nguests--;
}

static void too_slow(void *arg)
{
	connection_lost(arg, ETIMEDOUT);
}

/* Who it is. Returns 0, or -1 when that makes no sense, or is said twice. */
static int take_hello(struct connection *g, const char *data)
{
	struct server *server = g->server;
	unsigned version, member;
	char node[HOSTLIST_NAME_MAX];

	if (g->member != NOBODY ||
	    sscanf(data, "%u %u %255s", &version, &member, node) != 3 ||
	    version != MESSAGE_VERSION || member == 0 ||
	    member >= server->o.n || server->member[member])
		return -1;
	memcpy(g->node, node, sizeof(node));
	g->member = member;
	server->member[member] = g;
	loop_disarm(server->step.loop, &g->hello);
	return 0;
}

static void send_to(struct connection *g, struct msgbuf *msgbuf)
{
	if (g && msgbuf)
		secure_conn_send(g->conn, msgbuf);
}

static void send_one(struct connection *g, char type, const char *data,
		     size_t n)
{
	struct msgbuf *msgbuf = msgbuf_new(type, data, n);

	send_to(g, msgbuf);
	msgbuf_drop(msgbuf);
}

/* Who comes late has missed what all have been told. */
static void welcome(struct connection *g)
{
	const struct server *server = g->server;

	if (server->leaving)
		send_one(g, MSG_LEAVE, server->leave_code,
			 strlen(server->leave_code));
	else if (server->ending)
		send_one(g, MSG_END, "0", 1);
}

static void connection_message(void *arg, char type, const char *data, size_t n)
{
	struct connection *g = arg;
	struct server *server = g->server;

	if (g->member == NOBODY && type != MSG_HELLO) {
		forget(g);
		return;
	}
	if (type == MSG_HELLO && take_hello(g, data) < 0) {
		connection_lost(g, EPROTO);
		return;
	}
	if (type == MSG_HELLO)
		welcome(g);
	else if (type == MSG_UP)
		server->o.up(server->o.arg, (unsigned)strtoul(data, NULL, 10));
	else
		arbiter_handle(server->arbiter, g->member, type, data, n);
}

static void let_in(struct server *server, int fd)
{
	struct connection *g = calloc(1, sizeof(*g));
	struct secure_conn_events events = {
		.opened = connection_opened,
		.message = connection_message,
		.lost = connection_lost,
		.arg = g,
	};
	struct err err;

	if (!g) {
		close(fd);
		return;
	}
	*g = (struct connection){
		.server = server,
		.member = NOBODY,
		.since_ms = loop_now_ms(),
		.next = server->connections,
		.prev = &server->connections,
		.hello = {.expired = too_slow, .arg = g},
		.conn = secure_conn_new(&server->step, fd, false, &events,
					&err),
	};
	if (!g->conn) {
		free(g);
		return;
	}
	if (g->next)
		g->next->prev = &g->next;
	server->connections = g;
	server->nguests++;
	loop_arm(server->step.loop, &g->hello, GUEST_MS);
}

/* Strangers must not keep members out: the oldest connection goes, unless it is
 * still young, as a thousand members who come at once are. Returns whether one
 * went. */
static bool make_room(struct server *server)
{
	struct connection *oldest = NULL;

	for (struct connection *g = server->connections; g; g = g->next)
		if (!g->proved)
			oldest = g;
	if (!oldest || loop_now_ms() - oldest->since_ms < YOUNG_MS)
		return false;
	forget(oldest);
	return true;
}

static void listen_again(void *arg)
{
	struct server *server = arg;
	struct err err;

	loop_watch(server->step.loop, &server->listening, EPOLLIN, &err);
}

static void knocked(void *arg, uint32_t events)
{
	struct server *server = arg;
	int fd = -1;

	(void)events;
	if (server->nguests < CONNECTIONS_MAX || make_room(server))
		fd = accept4(server->listening.fd, NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		let_in(server, fd);
	} else if (!make_room(server)) {
		loop_remove(server->step.loop, &server->listening);
		loop_arm(server->step.loop, &server->pause, PAUSE_MS);
	}
}

/* Our own launcher hears it last; MSG_LEAVE when the others are gone. */
static void send_all(struct server *server, char type, const char *data,
		     size_t n)
{
	struct msgbuf *msgbuf = msgbuf_new(type, data, n);

	for (unsigned i = 1; i < server->o.n; i++)
		send_to(server->member[i], msgbuf);
	msgbuf_drop(msgbuf);
	if (type == MSG_END || type == MSG_GO)
		server->ending = type == MSG_END;
	if (type != MSG_LEAVE) {
		server->o.message(server->o.arg, type, data, n);
		return;
	}
	server->leaving = true;
	snprintf(server->leave_code, sizeof(server->leave_code), "%s", data);
	loop_arm(server->step.loop, &server->last_wait,
		 is_empty(server) ? 0 : LEAVE_MS);
}

static void arbiter_sends(void *arg, unsigned member, char type,
			  const char *data, size_t n)
{
	struct server *server = arg;

	if (member == ARBITER_ALL)
		send_all(server, type, data, n);
	else if (member == 0)
		server->o.message(server->o.arg, type, data, n);
	else
		send_one(server->member[member], type, data, n);
}

static void arbiter_says(void *arg, const char *line)
{
	struct server *server = arg;

	server->o.say(server->o.arg, line);
}

static bool is_here(const void *arg, unsigned member)
{
	return server_has(arg, member);
}

static int start_listening(struct server *server, struct err *err)
{
	unsigned port, try = 0;

	for (; (port = server->o.port(server->o.port_arg, try)) != 0; try++) {
		server->listening.fd = net_listen(port);
		if (server->listening.fd >= 0)
			return loop_watch(server->step.loop, &server->listening,
					  EPOLLIN, err);
		if (errno != EADDRINUSE)
			return err_printf(err,
					  "port %u can't be listened on: "
					  "%s",
					  port, strerror(errno));
	}
	return err_printf(err,
			  "%u ports for the launchers were tried, and all "
			  "are in use",
			  try);
}

struct server *server_open(const struct server_options *options,
			   const struct arbiter_options *arbiter,
			   struct err *err)
{
	struct server *server = calloc(1, sizeof(*server));
	struct arbiter_options o = *arbiter;

	if (!server) {
		err_memory(err);
		return NULL;
	}
	server->o = *options;
	server->step = *options->step;
	server->listening =
		(struct loop_watch){.fd = -1, .ready = knocked, .arg = server};
	server->last_wait =
		(struct loop_timer){.expired = leave_too, .arg = server};
	server->pause =
		(struct loop_timer){.expired = listen_again, .arg = server};
	server->member = calloc(options->n, sizeof(struct connection *));
	o.send = arbiter_sends;
	o.say = arbiter_says;
	o.here = is_here;
	o.arg = server;
	o.n = options->n;
	server->arbiter = server->member ? arbiter_new(&o, err) : NULL;
	if (server->arbiter && (o.n == 1 || start_listening(server, err) == 0))
		return server;
	if (!server->member)
		err_memory(err);
	server_close(server);
	return NULL;
}

void server_close(struct server *server)
{
	if (!server)
		return;
	while (server->connections)
		forget(server->connections);
	loop_disarm(server->step.loop, &server->last_wait);
	loop_disarm(server->step.loop, &server->pause);
	loop_remove(server->step.loop, &server->listening);
	if (server->listening.fd >= 0)
		close(server->listening.fd);
	arbiter_free(server->arbiter);
	free(server->member);
	free(server);
}
