/* SPDX-License-Identifier: Apache-2.0 */
/* The server's part of the step's one exchange. */
#include "helpers/conn/secure_conn.h"
#include "helpers/server/server_state.h"

#include <stdlib.h>

static void on_send(void *arg, unsigned member, struct msgbuf *msgbuf)
{
	const struct server *server = arg;

	if (server->member[member])
		secure_conn_send(server->member[member]->conn, msgbuf);
}

static bool is_connected(void *arg, unsigned member)
{
	return ((struct server *)arg)->member[member];
}

int server_address(const struct server *server, unsigned member,
		   char ret[IP_TEXT_SIZE])
{
	const struct connection *c = server->member[member];

	return c ? conn_address(secure_conn_fd(c->conn), false, ret) : -1;
}

static int on_address(void *arg, unsigned member, char ret[IP_TEXT_SIZE])
{
	return server_address(arg, member, ret);
}

int server_gather_begin(struct server *server)
{
	const struct branches_options options = {
		.loop = server->connections.step.loop,
		.n = server->o.n,
		.send = on_send,
		.here = is_connected,
		.address = on_address,
		.arg = server,
	};

	server->gather = gather_new(server->o.n);
	server->branches = branches_new(&options);
	return server->gather && server->branches ? 0 : -1;
}

void server_gather_end(struct server *server)
{
	gather_free(server->gather);
	branches_free(server->branches);
	server->gather = NULL;
	server->branches = NULL;
}

int server_give_gathered(struct server *server, const unsigned *members,
			 unsigned nmembers, const char *all, size_t n)
{
	return branches_give(server->branches, members, nmembers, MSG_GATHERED,
			     all, n);
}

static int give_all(struct server *server, const char *all, size_t n)
{
	cleanup_free unsigned *members = calloc(server->o.n, sizeof(*members));
	unsigned nmembers = 0;

	if (!all || !members)
		return -1;
	for (unsigned i = 0; i < server->o.n; i++)
		if (server->member[i])
			members[nmembers++] = i;
	if (server_give_gathered(server, members, nmembers, all, n) < 0)
		return -1;
	server->o.message(server->o.arg, MSG_GATHERED, all, n);
	return 0;
}

void server_gather(struct server *server, unsigned member, const char *data,
		   size_t n)
{
	int rc = gather_add(server->gather, member, data, n);
	cleanup_free char *all = NULL;
	size_t size = 0;

	if (rc > 0) {
		all = gather_join(server->gather, &size);
		rc = give_all(server, all, size);
	}
	if (rc < 0)
		arbiter_stop(server->arbiter, LINE_TOO_MUCH, EXIT_FAILURE, 0);
}
