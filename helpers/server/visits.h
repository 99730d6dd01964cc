/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visitors of the server: commands of the job's user that ask what a running
 * step does (helpers/visit/visitor.h). They have the step's secret, which they
 * ask for as launchers do where no srun has had the plugin, and no number. What
 * they are told is not the channel's business (helpers/part/sight.h).
 */
#ifndef DT_HELPERS_SERVER_VISITS_H
#define DT_HELPERS_SERVER_VISITS_H

#include "core/facts/handover.h"
#include "helpers/conn/message.h"

#include <stddef.h>

/* Bytes that may wait for a visitor who reads slowly: all that so many
 * launchers tell at once, and what he is told besides. */
static inline size_t visitor_wait(unsigned nlaunchers)
{
	return (size_t)nlaunchers * SHOW_MAX + (1U << 20);
}

struct connection;
struct server;

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

#endif
