/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the session that has a server of its own: that of the step in its
 * controller, which watches srun and shows the progress; or one for a launcher
 * alone.
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_SERVER_H
#define DT_HELPERS_CHANNEL_SESSION_SERVER_H

#include "core/base/err.h"

#include <stddef.h>

struct session;

/* The `try`-th port at which the server may be, of a struct session; 0: no
 * more. */
unsigned session_port(const void *session, unsigned try);

/* A message for this launcher (of a struct session). */
void session_message(void *session, char type, const char *data, size_t n);

/* Where the step's server listens; NULL: at all addresses of the node. */
const char *session_server_ip(const struct session *session);

/* Have a server for n members: of the step, or for this launcher alone (1).
 * Returns 0 or -1. */
int session_open_server(struct session *session, unsigned n, struct err *err);

/* The step's: the same, with all that belongs to it. */
int session_be_server(struct session *session, unsigned n, struct err *err);

void session_server_close(struct session *session);

#endif
