/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the session that knows the step's secret, or gets it. Where that
 * is handed over (MUNGE) or was met for (helpers/meet/meet.h) it is there from
 * the begin. Where Slurm's own authentication is the cluster's, a launcher asks
 * for it at the ports at which it connects, before it does (helpers/auth).
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_SECRET_H
#define DT_HELPERS_CHANNEL_SESSION_SECRET_H

#include "core/base/err.h"

struct client_options;
struct session;

/* Returns 0, or -1: out of memory. */
int session_find_secret(struct session *session, struct err *err);
void session_forget_secret(struct session *session);

/* Let a client ask for it, if it isn't known. */
void session_ask(struct session *session, struct client_options *client);

/* The same at the port for facts of a controller beside srun (FACTS_DOOR). */
void session_ask_door(struct session *session, struct client_options *client);

/* It isn't asked for any more: that of this launcher counts, which starts the
 * controller, or is alone. */
void session_have_own_secret(struct session *session);

/* Make session->giver, which says so to who asks with a token; where those are
 * none of the cluster's it stays NULL. The text is borrowed. Returns 0 or -1.
 */
int session_refuse_askers(struct session *session, const char *refusal,
			  struct err *err);

#endif
