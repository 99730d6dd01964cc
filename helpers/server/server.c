/* SPDX-License-Identifier: Apache-2.0 */

#include "helpers/server/server_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAVE_MS  2000 /* for members to take their last message */
#define SPEAKS_MS 3000 /* and a quarter of the lease: beats come so often */

struct arbiter *server_arbiter(struct server *server)
{
	return server->arbiter;
}

bool server_has(const struct server *server, unsigned member)
{
	return server->member[member];
}

unsigned server_member_on(const struct server *server, const char *node)
{
	for (unsigned i = 0; i < server->o.n; i++)
		if (server->member[i] && !strcmp(server->member[i]->node, node))
			return i;
	return MEMBER_NONE;
}

/* The first one that has been heard as lately as others. A launcher that is
 * stopped would keep the line for itself: when something fails, all are asked
 * for a sign of life, and it is silent. */
unsigned server_speaker(const struct server *server)
{
	uint64_t lately_ms = SPEAKS_MS + (uint64_t)server->o.lease_s * 250;
	uint64_t last_ms = 0;

	for (unsigned i = 0; i < server->o.n; i++)
		if (server->member[i] && server->heard_ms[i] > last_ms)
			last_ms = server->heard_ms[i];
	for (unsigned i = 0; i < server->o.n; i++)
		if (server->member[i] &&
		    server->heard_ms[i] + lately_ms >= last_ms)
			return i;
	return MEMBER_NONE;
}

const struct connections *server_members(const struct server *server)
{
	return &server->connections;
}

/* --- to members --- */

static void send_to(struct connection *c, struct msgbuf *msgbuf)
{
	if (c && msgbuf)
		secure_conn_send(c->conn, msgbuf);
}

static void send_one(struct connection *c, char type, const char *data,
		     size_t n)
{
	struct msgbuf *msgbuf = msgbuf_new(type, data, n);

	send_to(c, msgbuf);
	msgbuf_drop(msgbuf);
}

/* He is told to leave when all others have had their message. */
#define LAST 0

static void tell_last(struct server *server)
{
	send_one(server->member[LAST], MSG_LEAVE, server->leave_code,
		 strlen(server->leave_code));
	loop_arm(server->connections.step.loop, &server->last_wait, LEAVE_MS);
}

/* All others have left: the last member does, and then nobody is left. */
static void leave_too(void *arg)
{
	struct server *server = arg;
	bool told = server->told_last;

	loop_disarm(server->connections.step.loop, &server->last_wait);
	server->told_last = true;
	if (!told)
		server->o.message(server->o.arg, MSG_LEAVE, server->leave_code,
				  strlen(server->leave_code));
	if (!told && server->member[LAST])
		tell_last(server);
	else
		server->o.over(server->o.arg);
}

/* But for the last one, as long as that isn't told. */
static bool is_empty(const struct server *server)
{
	for (unsigned i = 0; i < server->o.n; i++)
		if (server->member[i] && (server->told_last || i != LAST))
			return false;
	return true;
}

static bool is_awaiting(const struct server *server)
{
	return server_recovers(server) && beats_are_awaited(server);
}

static void await_the_last(struct server *server)
{
	if (!is_awaiting(server))
		loop_arm(server->connections.step.loop, &server->last_wait,
			 is_empty(server) ? 0 : LEAVE_MS);
}

/* The last one gets MSG_LEAVE when the others are gone. */
void server_send_all(struct server *server, char type, const char *data,
		     size_t n)
{
	struct msgbuf *msgbuf = msgbuf_new(type, data, n);

	for (unsigned i = 0; i < server->o.n; i++)
		if (type != MSG_LEAVE || i != LAST)
			send_to(server->member[i], msgbuf);
	msgbuf_drop(msgbuf);
	if (type == MSG_END || type == MSG_GO || type == MSG_ROUND)
		server->ending = type == MSG_END;
	if (type != MSG_LEAVE) {
		server->o.message(server->o.arg, type, data, n);
		return;
	}
	server->leaving = true;
	snprintf(server->leave_code, sizeof(server->leave_code), "%s", data);
	await_the_last(server);
}

void server_tell(struct server *server, unsigned member, char type,
		 const char *data, size_t n)
{
	if (member == LAST)
		server->o.message(server->o.arg, type, data, n);
	send_one(server->member[member], type, data, n);
}

static void arbiter_sends(void *arg, unsigned member, char type,
			  const char *data, size_t n)
{
	struct server *server = arg;

	if (member == ARBITER_ALL)
		server_send_all(server, type, data, n);
	else
		server_tell(server, member, type, data, n);
}

static bool is_here(const void *arg, unsigned member)
{
	return server_has(arg, member);
}

static bool heard(const void *arg, unsigned member, uint64_t since_ms)
{
	const struct server *server = arg;

	return server->heard_ms[member] >= since_ms;
}

static void ask(void *arg)
{
	struct server *server = arg;

	for (unsigned i = 0; i < server->o.n; i++)
		if (server->member[i])
			send_one(server->member[i], MSG_ECHO, "", 0);
}

/* --- from members --- */

/* Returns whether anybody has subscribed to it. */
static bool is_taken(const struct server *server, unsigned member, char type,
		     const char *text)
{
	bool taken = false;

	for (const struct subscription *s = server->o.told; s; s = s->next) {
		if ((char)s->type != type)
			continue;
		taken |= !s->shares;
		if (!server->leaving || s->to_the_end)
			s->take(s->arg, member, text);
	}
	return taken;
}

void server_handle(struct server *server, unsigned member, char type,
		   const char *data, size_t n)
{
	server->heard_ms[member] = loop_now_ms();
	if (server_recovers(server) &&
	    beats_handle(server, member, type, data, n))
		return;
	if (type == MSG_BEAT) {
		if (server_recovers(server)) /* else it answers `ask` */
			server_tell(server, member, MSG_ECHO, data, n);
	} else if (type == MSG_GATHER) {
		if (!server->leaving)
			server_gather(server, member, data, n);
	} else if (type == MSG_SERVES) {
		branches_serves(server->branches, member, data);
	} else if (type == MSG_ASK) {
		branches_asks(server->branches, member);
	} else if (!is_taken(server, member, type, data)) {
		arbiter_handle(server->arbiter, member, type, data, n);
	}
}

static void drop(struct connection *c)
{
	struct server *server = c->all->owner;

	if (c->member != NOBODY)
		server->member[c->member] = NULL;
	connection_drop(c);
}

/* The connection is lost: the member is, if it has named itself. */
static void on_lost(void *arg, int why)
{
	struct connection *c = arg;
	struct server *server = c->all->owner;
	unsigned member = c->member;
	char node[HOSTLIST_NAME_MAX];
	long silent_s;

	if (member == NOBODY) {
		if (c->visits)
			server_visitor_lost(c);
		drop(c);
		return;
	}
	memcpy(node, c->node, sizeof(node));
	silent_s = secure_conn_silence_s(c->conn);
	if (server_recovers(server))
		silent_s = beats_silence_s(server, member, silent_s);
	drop(c);
	server_unseen(server, member);
	if (server->branches)
		branches_lost(server->branches, member);
	if (!server->leaving)
		arbiter_lost(server->arbiter, member, node, why, silent_s);
	else if (is_empty(server) && !is_awaiting(server))
		leave_too(server);
	if (server_recovers(server))
		beats_look(server);
}

/* Returns 0, or -1 when that makes no sense, or is said twice. */
static int note_hello(struct connection *c, const char *data)
{
	struct server *server = c->all->owner;
	char node[HOSTLIST_NAME_MAX];
	unsigned member;

	if (c->member != NOBODY || c->visits || c->refused ||
	    message_hello_read(data, 0, (long)server->o.n - 1, &member, node) <
		    0)
		return -1;
	/* Its old line may hang in a network that was cut */
	if (server_recovers(server) && server->member[member])
		on_lost(server->member[member], 0);
	if (server->member[member])
		return -1;
	strcpy(c->node, node);
	c->member = member;
	server->member[member] = c;
	connection_is_known(c);
	return 0;
}

/* The first of another release says so; all may be. */
static void tell_release(struct connection *c, const char *hello)
{
	struct server *server = c->all->owner;
	char line[FOREIGN_SIZE];

	if (server->is_mixed || !message_is_mixed(hello, line))
		return;
	server->is_mixed = true;
	send_one(c, MSG_SAY, line, strlen(line));
}

/* Who comes late has missed what all have been told. When all who were here are
 * done and leave, he is left to himself: his processes may still run. */
static void welcome(struct connection *c, const char *hello)
{
	struct server *server = c->all->owner;

	if (server->leaving && !server->ending && !server_recovers(server)) {
		drop(c);
		return;
	}
	send_one(c, MSG_WELCOME, "", 0);
	tell_release(c, hello);
	if (server_recovers(server))
		beats_welcome(server, c->member);
	if (server->leaving) {
		if (c->member != LAST)
			send_one(c, MSG_LEAVE, server->leave_code,
				 strlen(server->leave_code));
		await_the_last(server);
	} else if (server->ending) {
		send_one(c, MSG_END, "0", 1);
	}
}

/* Who speaks another version can only be told that. */
static void send_away(struct connection *c, const char *why)
{
	char line[FOREIGN_SIZE + 32];
	int n = snprintf(line, sizeof(line), "dist-train: %s\n", why);

	c->refused = true;
	send_one(c, MSG_WELCOME, "", 0);
	send_one(c, MSG_SAY, line, (size_t)n);
	send_one(c, MSG_LEAVE, "1", 1);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct connection *c = arg;
	struct server *server = c->all->owner;
	char why[FOREIGN_SIZE];

	if (c->member == NOBODY && type != MSG_HELLO) {
		if (!server_visit(c, type, data))
			on_lost(c, EPROTO);
		return;
	}
	if (type == MSG_HELLO && !c->refused && message_is_foreign(data, why))
		send_away(c, why);
	else if (type != MSG_HELLO)
		server_handle(server, c->member, type, data, n);
	else if (note_hello(c, data) < 0)
		on_lost(c, EPROTO);
	else
		welcome(c, data);
}

void server_wait_no_more(struct server *server)
{
	arbiter_wait_no_more(server->arbiter);
	if (!server_recovers(server))
		return;
	if (server->leaving)
		loop_arm(server->connections.step.loop, &server->last_wait, 0);
	beats_look(server);
}

void server_forget_host(struct server *server)
{
	struct connection *c = server->connections.first, *next;

	for (; c; c = next) {
		next = c->next;
		if (!c->visits)
			continue;
		server_visitor_lost(c);
		connection_drop(c);
	}
	server->o.visits = NULL;
	server->o.told = NULL;
	server->connections.answer = NULL;
	server->connections.giver = NULL;
}

/* --- opening and closing --- */

static int begin(struct server *server, const struct arbiter_options *arbiter,
		 struct err *err)
{
	struct arbiter_options with = *arbiter;

	with.send = arbiter_sends;
	with.here = is_here;
	with.ask = server->o.n > 1 ? ask : NULL;
	with.heard = heard;
	with.arg = server;
	with.n = server->o.n;
	server->heard_ms = calloc(server->o.n, sizeof(*server->heard_ms));
	if (!server->heard_ms || server_gather_begin(server) < 0 ||
	    (server_recovers(server) && beats_begin(server) < 0))
		return err_memory(err);
	server->arbiter = arbiter_new(&with, err);
	return server->arbiter ? 0 : -1;
}

static int open_all(struct server *server,
		    const struct arbiter_options *arbiter, struct err *err)
{
	const struct server_options *o = &server->o;

	server->member = calloc(o->n, sizeof(*server->member));
	if (!server->member)
		return err_memory(err);
	if (begin(server, arbiter, err) < 0 ||
	    connections_take(&server->connections, o->listen_fd, err) < 0)
		return -1;
	return connections_accept(&server->connections, err);
}

struct server *server_open(const struct server_options *options,
			   const struct arbiter_options *arbiter,
			   struct err *err)
{
	struct server *server = calloc(1, sizeof(*server));

	if (!server)
		return err_memory_null(err);
	server->o = *options;
	server->last_wait =
		(struct loop_timer){.expired = leave_too, .arg = server};
	server->connections = (struct connections){
		.step = *options->step,
		.node = options->node,
		.nmembers = options->n,
		.answer = options->answer ? server_answer : NULL,
		.giver = options->giver,
		.message = on_message,
		.lost = on_lost,
		.owner = server,
		.say = arbiter->say,
		.say_arg = arbiter->say_arg,
	};
	connections_init(&server->connections);
	if (open_all(server, arbiter, err) == 0)
		return server;
	server_close(server);
	return NULL;
}

void server_close(struct server *server)
{
	if (!server)
		return;
	connections_close(&server->connections);
	loop_disarm(server->connections.step.loop, &server->last_wait);
	beats_end(server);
	arbiter_free(server->arbiter);
	server_gather_end(server);
	free(server->heard_ms);
	free(server->member);
	free(server);
}
