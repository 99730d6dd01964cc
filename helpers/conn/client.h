/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way to a step's server, of a launcher or of a visitor: it tries the ports
 * at which the server may be, again and again, until one answers that has the
 * step's secret. Ports that are slow to answer stay open while the next ones
 * are tried, so that programs of others at these ports cost little time.
 */
#pragma once

#include "core/base/hostlist.h"
#include "core/base/ip.h"
#include "core/facts/port.h"
#include "helpers/conn/secure_conn.h"

#include <sodium.h>

struct client;

struct client_options {
	const struct secure_conn_step *step; /* its port doesn't count */
	const char *ip;			     /* of task 0's node; borrowed */
	/* Or an address for each port (of `port_arg`), in `ret` or elsewhere.
	 */
	const char *(*ip_of)(const void *arg, unsigned try,
			     char ret[HOSTLIST_NAME_MAX]);
	/* The message by which it names itself; the server lets it in by
	 * MSG_WELCOME. `hello` is borrowed. */
	char hello_type; /* 0: MSG_HELLO */
	const char *hello;
	long timeout_s; /* for the server to answer */
	/* How many connect to the same server at the same time: of a crowd
	 * each one waits longer, so that the server can come to all. */
	unsigned ncrowd;
	/* The secret isn't known yet: each port is asked for it, for the asker,
	 * and may answer with anything. What to do now; with CLIENT_SECRET
	 * step->secret holds it. NULL: it is known. It may not close the
	 * client. */
	struct asker *asker; /* borrowed; NULL: as question_ask() has it */
	enum client_now {
		CLIENT_NO_SECRET, /* that wasn't the server */
		CLIENT_SECRET,	  /* meet at this port */
		CLIENT_ENOUGH,	  /* that was all: no port is tried any more */
	} (*answered)(void *arg, const char *text);
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* Called once, when the server has not answered in time; `why` is an
	 * errno. The client goes on trying. */
	void (*late)(void *arg, int why);
	/* The server has answered and is now gone: `why` is an errno, or 0 when
	 * it closed the connection. Nothing more is called. */
	void (*lost)(void *arg, int why);
	void *arg; /* for these four; the last three may close the client */
};

/* Begin to connect. NULL when out of memory. */
struct client *client_open(const struct client_options *options,
			   struct err *err);

/* Whether the server has answered. */
bool client_is_there(const struct client *client);

/* How many bytes have come, at all ports; and some wait to be read. */
size_t client_has_come(const struct client *client, bool *ret_more);

/* The address by which this process sees the server, and is seen by it. Returns
 * 0, or -1 when it isn't connected. */
int client_address(const struct client *client, char ret[IP_TEXT_SIZE]);

/* Whether the server that has answered is at that address and port. */
bool client_is_at(const struct client *client, const char *ip, unsigned port);

/* Why the last attempt to reach it has failed, an errno; 0: none has. */
int client_why(const struct client *client);

/* For how many seconds nothing had come from the server when it was lost. */
long client_silence_s(const struct client *member);

/* Tell the arbiter, now or when the server is there. */
void client_send(struct client *client, char type, const char *data, size_t n);

/* What would be said when the server is there, in its order, for who does
 * without; it isn't kept any more. What there is no memory for is
 * left out. */
void client_take_back(struct client *client,
		      void (*take)(void *arg, char type, const char *data,
				   size_t n),
		      void *arg);

void client_close(struct client *client);

/* How often a client tries (helpers/conn/client.c); in milliseconds. */

/* Between two rounds over all ports: at first often, because all launchers of
 * a step start together, then ever less. */
#define RETRY_MS     10
#define RETRY_MAX_MS 1000
/* As long as the launchers of a step come up, one that isn't of a crowd waits
 * no longer than this: all wait for the last one that finds the server. */
#define EAGER_MS     3000
#define EAGER_MAX_MS 80
/* Meanwhile only each fourth round is over all ports, the others over the first
 * one: the server has another only where somebody else has that, and to be
 * refused eight times in each round was a tenth of a launcher's start. */
#define ALL_PORTS_IN 4
/* The same for one of a crowd while it is in the queue of the one server that
 * there is: all its ports were tried, and each of them is asked more rarely. */
#define QUEUED_MAX_MS 8000
/* For a port to answer until the next one is tried as well; all are tried
 * within the time that the server has. */
#define NEXT_MS	   250
#define NEXT_SHARE (LAUNCHERS_TRIES + 2)
#define TRY_MS	   10000 /* for a port to answer until it is tried anew */

/* A server lets some 20 of a crowd in each millisecond: that is how far apart
 * its members begin. Later their pauses are longer by five times as much. */
#define CROWD	     256
#define CROWD_PER_MS 4
#define FIRST_SHARE  5

/* What one of so many adds to a pause. */
static inline unsigned crowd_ms(unsigned ncrowd)
{
	return ncrowd < CROWD ? 0 : randombytes_uniform(ncrowd / CROWD_PER_MS);
}

static inline unsigned next_pause(unsigned ms, unsigned max_ms)
{
	return ms < max_ms / 2 ? 2 * ms : max_ms;
}
