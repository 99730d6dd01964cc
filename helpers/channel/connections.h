/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connections of the server: it listens at a port of the step, accepts, and
 * drops a peer that doesn't prove in time that it has the step's secret, and
 * name itself. Strangers can't keep members out: when there are too many, the
 * oldest connection without a proof is dropped.
 */
#ifndef DT_HELPERS_CHANNEL_CONNECTIONS_H
#define DT_HELPERS_CHANNEL_CONNECTIONS_H

#include "core/base/hostlist.h"
#include "helpers/channel/secure_conn.h"

#define NOBODY (~0U)

struct connection {
	struct connections *all;
	struct secure_conn *conn;
	unsigned member; /* set by the server; NOBODY: it has no name yet */
	char node[HOSTLIST_NAME_MAX];
	/* its own */
	struct connection *next, **prev;
	struct loop_timer hello;
	uint64_t since_ms;
	bool proved; /* it has the secret */
};

struct connections {
	struct secure_conn_step step;
	const char *ip; /* to listen at; NULL: all addresses; borrowed */
	/* With a struct connection as `arg`. `lost` is also called for a peer
	 * that is too slow, and must drop the connection. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	void (*lost)(void *arg, int why);
	void *owner; /* for these two */
	/* its own */
	struct connection *first; /* the newest */
	unsigned nunproved;
	struct loop_watch listening;
	struct loop_timer pause;
};

/* Before all others; nothing is listened on. `message`, `lost`, `owner`,
 * `ip` and `step` are set, the rest is 0. */
void connections_init(struct connections *all);

/* Listen at the first port of `port(arg, try)` that is free; 0 ends the list.
 * Returns 0, or -1 when there is none. */
int connections_listen(struct connections *all,
		       unsigned (*port)(const void *arg, unsigned try),
		       const void *arg, struct err *err);

/* The peer has named itself: it is no longer dropped for being slow. */
void connection_is_known(struct connection *c);

/* Close it and free it. */
void connection_drop(struct connection *c);

/* Drop all and listen no more. */
void connections_close(struct connections *all);

#endif
