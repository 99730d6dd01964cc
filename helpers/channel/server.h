/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The centre of a step's launchers, in that of task 0: it listens, lets in who
 * has the step's secret, and passes messages between members and referee. The
 * launcher it lives in is a member like the others.
 */
#ifndef DT_HELPERS_CHANNEL_SERVER_H
#define DT_HELPERS_CHANNEL_SERVER_H

#include "helpers/channel/arbiter.h"
#include "helpers/channel/secure_conn.h"

struct hub;

struct hub_options {
	const struct link_step *step;
	unsigned n;	  /* members: the step's tasks */
	const char *node; /* on which it is; borrowed */
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	/* A message for the launcher that it lives in. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* A member says that its `n` processes are up. */
	void (*up)(void *arg, unsigned n);
	/* A line for the user. */
	void (*say)(void *arg, const char *line);
	void *arg;
};

/* Open the hub; the referee's `n`, `send`, `say`, `here` and `arg` are the
 * hub's own. With one member nothing is listened on. NULL on failure. */
struct hub *hub_open(const struct hub_options *options,
		     const struct referee_options *referee, struct err *err);

struct referee *hub_referee(struct hub *hub);

/* Whether the member has come. */
bool hub_has(const struct hub *hub, unsigned member);

/* The nodes from which members have come, in order; one may be there twice. */
struct hub_nodes {
	const char **name; /* the caller frees this alone */
	size_t n;
};

/* As it is now: valid until the loop runs on. Returns 0, or -1 (memory). */
int hub_nodes(const struct hub *hub, struct hub_nodes *ret);

bool hub_nodes_have(const struct hub_nodes *nodes, const char *node);

void hub_close(struct hub *hub);

#endif
