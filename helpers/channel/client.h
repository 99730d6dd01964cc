/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher's way to the hub: it tries the ports at which the hub may be, in
 * turn and again, until one answers that has the step's secret.
 */
#ifndef DT_HELPERS_CHANNEL_CLIENT_H
#define DT_HELPERS_CHANNEL_CLIENT_H

#include "helpers/channel/secure_conn.h"

struct member;

struct member_options {
	const struct link_step *step;
	const char *ip;	   /* of task 0's node; borrowed */
	const char *hello; /* the text of MSG_HELLO; borrowed */
	long timeout_s;	   /* for the hub to answer */
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* The hub has not answered in time, or is gone: `why` is an errno, or 0
	 * when it closed the connection. Nothing more is called. */
	void (*lost)(void *arg, bool was_there, int why);
	void *arg;
};

/* Begin to connect. NULL when out of memory. */
struct member *member_open(const struct member_options *options,
			   struct err *err);

/* Whether the hub has answered. */
bool member_is_there(const struct member *member);

/* Tell the referee, now or when the hub is there. */
void member_send(struct member *member, char type, const char *data, size_t n);

void member_close(struct member *member);

#endif
