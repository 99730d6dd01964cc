/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the session that connects to the step's server. When that is
 * lost, or doesn't answer in time, this launcher decides for itself from then
 * on (session_alone.h).
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_CLIENT_H
#define DT_HELPERS_CHANNEL_SESSION_CLIENT_H

#include "core/base/err.h"
#include "core/base/hostlist.h"

#include <stdbool.h>
#include <stddef.h>

struct session;

/* Begin to connect. Returns 0 or -1. */
int session_be_client(struct session *session, struct err *err);

/* As session_send() and session_told_to_end(), while there is a client. */
void session_client_send(struct session *session, char type, const char *data,
			 size_t n);
void session_client_told_to_end(struct session *session);

/* Whether the server's loss isn't told yet: session_send() keeps failures and
 * ends until then. */
bool session_client_is_in_doubt(const struct session *session);

/* A message of the server that is about a text which members hand on
 * (helpers/gather/fetch.h); what comes of it goes to `message`, of a struct
 * session. Returns whether it was such a one. */
bool session_client_fetches(struct session *session,
			    void (*message)(void *session, char type,
					    const char *data, size_t n),
			    char type, const char *data, size_t n);

/* Nobody is asked any more. */
void session_client_drop(struct session *session);

void session_client_close(struct session *session);

/* Connect to the server at these ports and addresses (client_options, with the
 * session as `port_arg`; ip_of NULL: on the first node). Returns 0 or -1. */
int session_open_client(struct session *session,
			unsigned (*port)(const void *arg, unsigned try),
			const char *(*ip_of)(const void *arg, unsigned try,
					     char ret[HOSTLIST_NAME_MAX]),
			struct err *err);

#endif
