/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/visits.h"

#include "helpers/channel/message.h"
#include "helpers/channel/server_state.h"

#include <string.h>

static void count(struct connection *c, bool more)
{
	struct server *server = c->all->owner;

	c->visits = more;
	server->nvisitors += more ? 1U : -1U;
}

void server_visitor_lost(struct connection *c)
{
	const struct visits *visits =
		((struct server *)c->all->owner)->o.visits;

	count(c, false);
	visits->left(visits->arg, c);
}

bool server_visit(struct connection *c, char type, const char *data)
{
	struct server *server = c->all->owner;
	const struct visits *visits = server->o.visits;
	long version;

	if (type != MSG_VISIT || !visits || server->leaving ||
	    message_number(&data, MESSAGE_VERSION, MESSAGE_VERSION, &version) <
		    0)
		return false;
	if (!c->visits) {
		if (server->nvisitors == VISITORS_MAX)
			return false;
		count(c, true);
		connection_is_known(c);
		server_show(c, MSG_WELCOME, "", 0);
	}
	visits->came(visits->arg, c, data);
	return true;
}

void server_seen(const struct server *server, unsigned member, const char *data)
{
	const struct visits *visits = server->o.visits;

	if (visits)
		visits->seen(visits->arg, member, data);
}

const char *server_answer(void *arg)
{
	const struct server *server = arg;

	return server->o.answer(server->o.arg);
}

void server_say_nothing(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

void server_show(struct connection *c, char type, const char *data, size_t n)
{
	struct msgbuf *msgbuf = msgbuf_new(type, data, n);

	if (msgbuf)
		secure_conn_send(c->conn, msgbuf);
	msgbuf_drop(msgbuf);
}

const char *server_node_of(const struct server *server, unsigned member)
{
	if (member == server->o.self)
		return server->o.node;
	return server->member[member] ? server->member[member]->node : NULL;
}
