/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connections of the server: it listens at a port of the step, accepts, and
 * drops a peer that doesn't prove in time that it has the step's secret, and
 * name itself. Strangers can't keep members out: who connects is accepted at
 * once, costs a descriptor and this struct until its first byte comes, and
 * when there are too many, one of the address with the most of them is dropped
 * (helpers/conn/newcomers.h).
 */
#pragma once

#include "core/base/hostlist.h"
#include "helpers/conn/newcomers.h"
#include "helpers/conn/secure_conn.h"

#define NOBODY (~0U)

struct connection {
	struct connections *all;
	struct secure_conn *conn; /* NULL: it hasn't said anything yet */
	unsigned member; /* set by the server; NOBODY: it has no name yet */
	char node[HOSTLIST_NAME_MAX];
	bool visits;  /* set by the server: it has no name and needs none */
	bool refused; /* the same: it wanted to, and may only leave */
	/* its own */
	struct connection *next, **prev;
	struct loop_watch silent; /* as long as there is no `conn` */
	struct giving *giving;	  /* it is given the secret; or NULL */
	struct newcomer newcomer;
};

struct connections {
	struct secure_conn_step step;
	const char *ip;	  /* to listen at; NULL: all addresses; borrowed */
	const char *node; /* this one's name, for lines to the user; borrowed */
	unsigned nmembers; /* that are to come */
	/* For who asks for the secret (helpers/conn/question.h); NULL, or what
	 * returns NULL: he isn't answered, and may ask again. With `owner`. */
	const char *(*answer)(void *owner);
	/* Who gives it by tokens; borrowed; NULL: nobody. */
	struct giver *giver;
	/* With a struct connection as `arg`. `lost` is also called for a peer
	 * that is too slow, or has to make room, and must drop the connection.
	 */
	void (*message)(void *arg, char type, const char *data, size_t n);
	void (*lost)(void *arg, int why);
	void *owner; /* for these three */
	/* A line for the user. */
	void (*say)(void *arg, const char *line);
	void *say_arg;
	/* its own */
	struct connection *first; /* the newest */
	struct newcomers newcomers;
	unsigned max; /* newcomers */
	unsigned nknown;
	bool said_full;
	struct loop_watch listening;
	struct loop_timer pause, slowest;
};

/* Before all others; nothing is listened on. What isn't its own is set, the
 * rest is 0. */
void connections_init(struct connections *all);

/* Listen at the first port of `port(arg, try)` that is free; 0 ends the list.
 * Returns 0, or -1 when there is none. */
int connections_listen(struct connections *all,
		       unsigned (*port)(const void *arg, unsigned try),
		       const void *arg, struct err *err);

/* The same in two steps: who connects after the first one waits for the second.
 * Between them the port may be given to another process. */
int connections_bind(struct connections *all,
		     unsigned (*port)(const void *arg, unsigned try),
		     const void *arg, struct err *err);

int connections_accept(struct connections *all, struct err *err);

/* The descriptor of a bound port, which is the caller's then; and take one that
 * another process has bound. The second one returns 0 or -1. */
int connections_give(struct connections *all);
int connections_take(struct connections *all, int fd, struct err *err);

/* The peer has named itself: it is no longer dropped for being slow. */
void connection_is_known(struct connection *c);

/* The same of that member, who is told that he is welcome. */
void connection_welcome(struct connection *c, unsigned member,
			const char *node);

/* Close it and free it. */
void connection_drop(struct connection *c);

/* Listen no more; who is there stays. */
void connections_shut(struct connections *all);

/* Drop all and listen no more. */
void connections_close(struct connections *all);
