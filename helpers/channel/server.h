/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that the step's launchers connect to; it is part of task 0's
 * launcher. Members connect (helpers/conn/connections.h) and name
 * themselves. It passes messages between members and arbiter, and collects what
 * each member has to send to all others (helpers/gather/gather.h). Task 0's
 * launcher is member 0: like the others, but without a connection.
 */
#ifndef DT_HELPERS_CHANNEL_SERVER_H
#define DT_HELPERS_CHANNEL_SERVER_H

#include "helpers/arbiter/arbiter.h"
#include "helpers/channel/subscription.h"
#include "helpers/channel/visits.h"
#include "helpers/conn/secure_conn.h"

struct server;

struct server_options {
	const struct secure_conn_step *step;
	unsigned n;    /* members: the step's tasks */
	unsigned self; /* the member that it is part of: 0; MEMBER_NONE: of the
			  step's controller, which is none. Its member 0 is told
			  to leave when all others have left: Slurm may end the
			  controller with it. */
	int listen_fd; /* of a port that is bound; 0: listen at `port` */
	long lease_s;  /* with recovery, a member that is silent for so long is
			  lost; 0: the kernel's connections tell who is */
	const char *node; /* on which it is; borrowed */
	const char *ip;	  /* at which members find it; borrowed */
	/* For who asks for the secret (connections.h); NULL: nobody may. */
	const char *(*answer)(void *arg);
	const struct visits *visits; /* NULL: nobody may visit; borrowed */
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	/* A message for the launcher that it lives in; without one, what
	 * member 0 is told, and each MSG_ROUND. MSG_LEAVE is the last, when the
	 * others have left.
	 */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* Without a launcher: member 0 has left, too; nothing more comes. */
	void (*over)(void *arg);
	void *arg; /* for these two, and `answer` */
	/* Who takes what members tell; the arbiter gets the rest. NULL: nobody;
	 * borrowed. */
	const struct subscription *told;
};

/* Open the server, at that address, or at all of the node's if it isn't one of
 * them. It says what isn't as it should be by the arbiter's `say`; the
 * arbiter's `n`, `send`, `here` and `arg` are the server's own. With one member
 * nothing is listened on but for visitors, and no port is no failure. NULL on
 * failure: no memory, or no port. */
struct server *server_open(const struct server_options *options,
			   const struct arbiter_options *arbiter,
			   struct err *err);

struct arbiter *server_arbiter(struct server *server);

/* As arbiter_wait_no_more(), for the exchange, too. */
void server_wait_no_more(struct server *server);

/* A message to all members that are here, and to our own launcher; MSG_LEAVE
 * ("CODE") is the last one, and ours gets it when the others have. */
void server_send_all(struct server *server, char type, const char *data,
		     size_t n);

/* A message of a member that has sent MSG_HELLO, or of the launcher that the
 * server is part of (member 0). A malformed one is ignored. */
void server_handle(struct server *server, unsigned member, char type,
		   const char *data, size_t n);

/* A message to one member that is here, or to our own launcher. */
void server_tell(struct server *server, unsigned member, char type,
		 const char *data, size_t n);

/* The first member that has come from that node; MEMBER_NONE: none has. */
unsigned server_member_on(const struct server *server, const char *node);

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

/* Whoever has subscribed, or has visits, goes: nothing of it is called any
 * more. Visitors are dropped. */
void server_forget_host(struct server *server);

void server_close(struct server *server);

#endif
