/* SPDX-License-Identifier: Apache-2.0 */

#include "helpers/server/server_state.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define VERSIONS_SIZE 256

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

/* Why he isn't let in; NULL: he is. */
static const char *why_not(const struct server *server, long version,
			   char ret[VERSIONS_SIZE])
{
	if (version != MESSAGE_VERSION) {
		snprintf(ret, VERSIONS_SIZE,
			 "its launchers speak version %d, and this command "
			 "version %ld: take the dist-train of the release that "
			 "has started the step",
			 MESSAGE_VERSION, version);
		return ret;
	}
	if (server->leaving)
		return "it is about to end";
	if (server->nvisitors >= VISITORS_MAX)
		return "too many commands look into it at this moment: try "
		       "again";
	return NULL;
}

/* Who isn't let in is told why, and has the time of a stranger to go; he is
 * none of the visitors, and asking again ends it. */
bool server_visit(struct connection *c, char type, const char *data)
{
	struct server *server = c->all->owner;
	const struct visits *visits = server->o.visits;
	char versions[VERSIONS_SIZE];
	const char *why;
	long version;

	if (type != MSG_VISIT || !visits || c->refused ||
	    message_number(&data, 0, INT_MAX, &version) < 0)
		return false;
	if (c->visits) {
		visits->came(visits->arg, c, data);
		return true;
	}
	why = why_not(server, version, versions);
	server_show(c, MSG_WELCOME, "", 0);
	if (why) {
		c->refused = true;
		server_show(c, MSG_SHOWN, why, strlen(why));
		return true;
	}
	count(c, true);
	connection_is_known(c);
	secure_conn_limit(c->conn, visitor_wait(server->o.n));
	visits->came(visits->arg, c, data);
	return true;
}

void server_unseen(const struct server *server, unsigned member)
{
	const struct visits *visits = server->o.visits;

	if (visits)
		visits->lost(visits->arg, member);
}

const char *server_answer(void *arg)
{
	const struct server *server = arg;

	return server->o.answer(server->o.arg);
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
	return server->member[member] ? server->member[member]->node : NULL;
}
