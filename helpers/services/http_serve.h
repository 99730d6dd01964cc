/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the HTTP servers here have in common, over libmicrohttpd: one thread, a
 * connection is closed after its answer. Whoever reaches the port can open as
 * many as he likes: one that hasn't shown the secret has 5 s to send its
 * headers, and half of the places, or 1,024, are all that there are for such; a
 * further one ends one of the address that has the most
 * (helpers/conn/newcomers.h).
 */
#pragma once

#include "core/base/err.h"
#include "helpers/conn/newcomers.h"

#include <microhttpd.h>
#include <stddef.h>

struct http_serve {
	struct newcomers guests;
	unsigned guests_max;
	struct MHD_Daemon *daemon;
};

struct http_serve_options {
	int fd; /* a listening socket, which is taken over */
	MHD_AcceptPolicyCallback accept; /* NULL: whoever comes */
	MHD_AccessHandlerCallback request;
	MHD_RequestCompletedCallback ended;
	void *arg;
	unsigned connections;	/* at most; 0: as many as files */
	const char *cert, *key; /* PEM; NULL: without TLS */
};

/* Be ready to serve. Returns 0, or -1 with the error. Stop with
 * http_serve_stop(). */
int http_serve_start(struct http_serve *serve,
		     const struct http_serve_options *options, struct err *err);

/* Serve in this thread until the other end of the pipe `fd` is closed; what
 * comes from there is dropped. `idle` (NULL: nothing) is called after each
 * round; it returns the milliseconds until it has to be called again, -1: when
 * something has come. */
void http_serve_run(struct http_serve *serve, int fd, int (*idle)(void *arg),
		    void *arg);

void http_serve_stop(struct http_serve *serve);

/* The connection has shown the secret, and is bounded no more. */
void http_serve_welcome(struct http_serve *serve,
			struct MHD_Connection *connection);

/* Answer with a copy of the data; `type` (NULL: none) is that of the content.
 */
enum MHD_Result http_serve_answer(struct MHD_Connection *connection,
				  unsigned status, const char *type,
				  const void *data, size_t n);

/* Ignore Slurm's signals, which go to every process of a step: the ranks may
 * still need the service while they end. SIGTERM of the parent ends it, and so
 * does the parent's end. For the begin of main(). */
void service_leave_signals(void);
