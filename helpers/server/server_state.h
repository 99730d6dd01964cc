/* SPDX-License-Identifier: Apache-2.0 */
/* The server inside, for server.c and, where a step outlives a lost node,
 * helpers/server/server_recovery.c. */
#pragma once

#include "helpers/conn/connections.h"
#include "helpers/gather/branches.h"
#include "helpers/gather/gather.h"
#include "helpers/server/server.h"

struct server {
	struct server_options o;
	struct arbiter *arbiter;
	struct gather *gather;
	struct branches *branches;
	struct connections connections;
	/* by number; NULL: not here */
	struct connection **member;
	struct loop_timer last_wait;
	unsigned nvisitors;
	bool ending; /* all have been told to end their processes */
	bool leaving;
	bool is_mixed;	/* that has been said */
	bool told_last; /* also the one that leaves last */
	char leave_code[16];
	uint64_t *heard_ms; /* by member, when its last message came */
	/* With recovery: */
	bool *has_gathered;	/* by member; it needs no MSG_GATHERED */
	bool gathered;		/* all who were here had told their pieces */
	struct loop_timer look; /* who is late */
};

/* --- the exchange (server_gather.c) --- */

/* Returns 0, or -1 when out of memory. */
int server_gather_begin(struct server *server);
void server_gather_end(struct server *server);

/* A member's piece. */
void server_gather(struct server *server, unsigned member, const char *data,
		   size_t n);

/* The pieces of all, to those of the members that are here. Returns 0, or -1
 * when out of memory. */
int server_give_gathered(struct server *server, const unsigned *members,
			 unsigned nmembers, const char *all, size_t n);

static inline bool server_recovers(const struct server *server)
{
	return server->o.lease_s;
}

/* --- visitors (server_visit.c) --- */

/* Of a connection that has no number: returns whether that is a visitor, who
 * has been told on then. */
bool server_visit(struct connection *c, char type, const char *data);

/* The visitor is lost. */
void server_visitor_lost(struct connection *visitor);

/* A member is lost. */
void server_unseen(const struct server *server, unsigned member);

/* As that of struct connections: what server_options.answer says. */
const char *server_answer(void *server);

/* --- with recovery (helpers/server/server_recovery.c) --- */

/* Begin to look who is silent. Returns 0, or -1 when out of memory. */
int beats_begin(struct server *server);
void beats_end(struct server *server);

/* What the server itself has to know. Returns whether that was all of the
 * message. */
bool beats_handle(struct server *server, unsigned member, char type,
		  const char *data, size_t n);

/* A member has come. */
void beats_welcome(struct server *server, unsigned member);

/* A member is lost, or isn't waited for: the others' exchange may be complete.
 */
void beats_look(struct server *server);

/* Somebody has never been here and may still come: he is told the end of the
 * step, which he couldn't learn from anybody else. */
bool beats_are_awaited(const struct server *server);

/* For how long the member has been silent; silent_s is what the kernel says. */
long beats_silence_s(const struct server *server, unsigned member,
		     long silent_s);
