/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that the step's launchers connect to; it is part of the step's
 * controller. Members connect (helpers/conn/connections.h) and name themselves.
 * It passes messages between members and arbiter, and collects what each member
 * has to send to all others (helpers/gather/gather.h).
 */
#pragma once

#include "core/facts/handover.h"
#include "helpers/arbiter/arbiter.h"
#include "helpers/conn/message.h"
#include "helpers/conn/secure_conn.h"

#include <stdbool.h>
#include <stddef.h>

struct server;

struct server_options {
	const struct secure_conn_step *step;
	unsigned n; /* members: the step's tasks */
	/* Of a port that is bound; taken over */
	int listen_fd;
	long lease_s; /* with recovery, a member that is silent for so long is
			 lost; 0: the kernel's connections tell who is */
	const char *node; /* on which it is; borrowed */
	/* For who asks for the secret (connections.h); NULL: nobody may. */
	const char *(*answer)(void *arg);
	struct giver *giver;	     /* the same, by tokens; borrowed */
	const struct visits *visits; /* NULL: nobody may visit; borrowed */
	/* What member 0 is told; MSG_LEAVE is the last, when the others have
	 * left. He leaves then: Slurm may end the controller with him. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	void (*over)(void *arg); /* he has, and nothing more comes */
	void *arg;		 /* for these two, and `answer` */
	/* Who takes what members tell; the arbiter gets the rest. NULL: nobody;
	 * borrowed. */
	const struct subscription *told;
};

/* Open the server. It says what isn't as it should be by the arbiter's `say`;
 * the arbiter's `n`, `send`, `here` and `arg` are the server's own. NULL on
 * failure. */
struct server *server_open(const struct server_options *options,
			   const struct arbiter_options *arbiter,
			   struct err *err);

struct arbiter *server_arbiter(struct server *server);

/* As arbiter_wait_no_more(), for the exchange, too. */
void server_wait_no_more(struct server *server);

/* A message to all members that are here; MSG_LEAVE ("CODE") is the last one,
 * and member 0 gets it when the others have. */
void server_send_all(struct server *server, char type, const char *data,
		     size_t n);

/* A message of a member that has sent MSG_HELLO. A malformed one is ignored. */
void server_handle(struct server *server, unsigned member, char type,
		   const char *data, size_t n);

/* A message to one member that is here. */
void server_tell(struct server *server, unsigned member, char type,
		 const char *data, size_t n);

/* The first member that has come from that node; MEMBER_NONE: none has. */
unsigned server_member_on(const struct server *server, const char *node);

/* By whom a line for the user is said; MEMBER_NONE: nobody is here. */
unsigned server_speaker(const struct server *server);

/* Whether the member has come. */
bool server_has(const struct server *server, unsigned member);

/* At which address it is seen. Returns 0, or -1: it isn't here. */
int server_address(const struct server *server, unsigned member,
		   char ret[IP_TEXT_SIZE]);

/* Those that are connected; visitors are among them. */
const struct connections *server_members(const struct server *server);

/* Whoever has subscribed, or has visits, goes: nothing of it is called any
 * more. Visitors are dropped. */
void server_forget_host(struct server *server);

void server_close(struct server *server);

/*
 * Who takes what members tell, where the arbiter is, beside the arbiter itself.
 * What becomes of it is not the channel's business. Several may take the same.
 */

struct subscription {
	enum message type;
	void (*take)(void *arg, unsigned member, const char *text);
	void *arg;
	bool to_the_end; /* also what comes when all have been told to leave */
	bool shares;	 /* the arbiter takes it, too */
	const struct subscription *next; /* NULL: the last one */
};

/*
 * Visitors of the server: commands of the job's user that ask what a running
 * step does (helpers/visit/visitor.h). They have the step's secret, which they
 * ask for as launchers do where no srun has had the plugin, and no number. What
 * they are told is not the channel's business (helpers/part/sight.h).
 */

/* Bytes that may wait for a visitor who reads slowly: all that so many
 * launchers tell at once, and what he is told besides. */
static inline size_t visitor_wait(unsigned nlaunchers)
{
	return (size_t)nlaunchers * SHOW_MAX + (1U << 20);
}

struct connection;

/* For what comes; with `arg`. */
struct visits {
	/* Somebody asks for the secret: a credential that the user alone can
	 * open (helpers/auth/munge.h), or NULL: not now. */
	const char *(*answer)(void *arg, const char *id,
			      const unsigned char secret[SECRET_SIZE]);
	/* His MSG_VISIT, the first or a further one; he remains until he
	 * leaves. */
	void (*came)(void *arg, struct connection *visitor, const char *text);
	void (*left)(void *arg, struct connection *visitor);
	/* A member is lost. */
	void (*lost)(void *arg, unsigned member);
	void *arg;
};

/* Tell a visitor. He is lost when too much waits for him; not in this call. */
void server_show(struct connection *visitor, char type, const char *data,
		 size_t n);

/* The node from which the member has come, or NULL: it isn't here. */
const char *server_node_of(const struct server *server, unsigned member);
