/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that the step's launchers connect to; it is part of task 0's
 * launcher. Members connect (helpers/channel/connections.h) and name
 * themselves. It passes messages between members and arbiter, and collects what
 * each member has to send to all others (helpers/channel/gather.h). Task 0's
 * launcher is member 0: like the others, but without a connection.
 */
#ifndef DT_HELPERS_CHANNEL_SERVER_H
#define DT_HELPERS_CHANNEL_SERVER_H

#include "helpers/channel/arbiter.h"
#include "helpers/conn/secure_conn.h"

struct server;

struct server_options {
	const struct secure_conn_step *step;
	unsigned n;	  /* members: the step's tasks */
	const char *node; /* on which it is; borrowed */
	const char *ip;	  /* at which members find it; borrowed */
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	/* A message for the launcher that it lives in. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* A member says that its `n` processes are up. */
	void (*up)(void *arg, unsigned n);
	void *arg;
};

/* Open the server, at that address, or at all of the node's if it isn't one of
 * them. It says what isn't as it should be by the arbiter's `say`; the
 * arbiter's `n`, `send`, `here` and `arg` are the server's own. With one member
 * nothing is listened on. NULL on failure: no memory, or no port. */
struct server *server_open(const struct server_options *options,
			   const struct arbiter_options *arbiter,
			   struct err *err);

struct arbiter *server_arbiter(struct server *server);

/* A message of a member that has sent MSG_HELLO, or of the launcher that the
 * server is part of (member 0). A malformed one is ignored. */
void server_handle(struct server *server, unsigned member, char type,
		   const char *data, size_t n);

/* Whether the member has come. */
bool server_has(const struct server *server, unsigned member);

/* The nodes from which members have come, in order; one may be there twice. */
struct server_nodes {
	const char **name; /* the caller frees this alone */
	size_t n;
};

/* As it is now: valid until the loop runs on. Returns 0, or -1 (memory). */
int server_nodes(const struct server *server, struct server_nodes *ret);

bool server_nodes_have(const struct server_nodes *nodes, const char *node);

void server_close(struct server *server);

#endif
