/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/services/metrics_http.h"

#include "core/base/constant_time.h"
#include "core/base/text.h"
#include "core/facts/handover.h"
#include "helpers/services/kv_http.h"
#include "sys/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_SIZE 1024 /* whole lines only go into a pipe (PIPE_BUF) */
#define JSON_TYPE "application/json"
#define BEARER	  "Bearer "
#define TOO_LARGE 413 /* libmicrohttpd has changed its name for it */

/* The newest report of a rank. */
struct latest {
	char line[LINE_SIZE];
	bool waits; /* it hasn't been written yet */
	uint64_t written_ms;
};

struct metrics_http {
	struct metrics_http_options o;
	struct http_serve serve;
	struct peer_owner owner;
	struct latest *of; /* by rank, from o.first on */
	bool any_waits;
};

/* A request that is being read. */
struct exchange {
	unsigned rank;
	size_t n;
	bool too_long;
	char body[METRICS_BODY_MAX + 1];
};

/* --- answers --- */

static enum MHD_Result say_wrong(struct MHD_Connection *connection,
				 unsigned code, const char *reason,
				 const char *why)
{
	char quoted[JSON_QUOTE_SIZE(sizeof(struct err))], text[2048];
	int n;

	n = snprintf(text, sizeof(text),
		     "{\"status\":\"Failure\",\"message\":%s,"
		     "\"reason\":\"%s\",\"code\":%u}\n",
		     json_quote(why, quoted, sizeof(quoted)), reason, code);
	return http_serve_answer(connection, code, JSON_TYPE, text, (size_t)n);
}

static enum MHD_Result say_done(struct MHD_Connection *connection)
{
	return http_serve_answer(connection, MHD_HTTP_OK, JSON_TYPE, "{}\n", 3);
}

/* --- the request --- */

static bool knows_token(const struct metrics_http *h,
			struct MHD_Connection *connection)
{
	const char *said = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
	size_t n = strlen(h->o.token);

	if (!said || strncmp(said, BEARER, strlen(BEARER)) != 0)
		return false;
	said += strlen(BEARER);
	return strlen(said) == n && constant_time_equal(said, h->o.token, n);
}

static bool read_rank(const struct metrics_http *h, const char *url,
		      unsigned *ret)
{
	unsigned long rank;
	char *end;

	if (strncmp(url, METRICS_PATH_HEAD, strlen(METRICS_PATH_HEAD)) != 0)
		return false;
	url += strlen(METRICS_PATH_HEAD);
	rank = strtoul(url, &end, 10);
	if (end == url || *url < '0' || *url > '9' ||
	    strcmp(end, METRICS_PATH_TAIL) != 0 || rank < h->o.first ||
	    rank - h->o.first >= h->o.n)
		return false;
	*ret = (unsigned)rank;
	return true;
}

/* The headers are there. What is refused is answered at once, and what it
 * sends isn't read. */
static enum MHD_Result begin(struct metrics_http *h, const char *url,
			     const char *method,
			     struct MHD_Connection *connection, void **state)
{
	struct exchange *x;
	unsigned rank;

	if (!knows_token(h, connection))
		return say_wrong(connection, MHD_HTTP_FORBIDDEN, "Forbidden",
				 "the token isn't that of this step: it is in "
				 "the file KUBEFLOW_TRAINER_SERVER_TOKEN");
	if (!read_rank(h, url, &rank))
		return say_wrong(connection, MHD_HTTP_NOT_FOUND, "NotFound",
				 "no rank of this node has that path: it is in "
				 "KUBEFLOW_TRAINER_SERVER_URL");
	if (strcmp(method, "POST") != 0)
		return say_wrong(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				 "MethodNotAllowed",
				 "a report is sent with POST");
	x = malloc(sizeof(*x));
	if (!x)
		return MHD_NO;
	x->rank = rank;
	x->n = 0;
	x->too_long = false;
	*state = x;
	http_serve_welcome(&h->serve, connection);
	return MHD_YES;
}

static void take_part(struct exchange *x, const char *data, size_t n)
{
	if (x->n + n > METRICS_BODY_MAX)
		x->too_long = true;
	if (x->too_long)
		return;
	memcpy(x->body + x->n, data, n);
	x->n += n;
}

static enum MHD_Result act(struct metrics_http *h, struct exchange *x,
			   struct MHD_Connection *connection)
{
	struct latest *latest = &h->of[x->rank - h->o.first];
	char line[LINE_SIZE - 16];
	struct err err;

	if (x->too_long)
		return say_wrong(connection, TOO_LARGE, "RequestEntityTooLarge",
				 "a report has 65536 bytes at most");
	x->body[x->n] = '\0';
	if (trainer_status_line(x->body, line, sizeof(line), &err) < 0)
		return say_wrong(connection, MHD_HTTP_BAD_REQUEST, "Invalid",
				 err.text);
	if (!*line)
		return say_done(connection);
	snprintf(latest->line, sizeof(latest->line), "%u %s\n", x->rank, line);
	latest->waits = h->any_waits = true;
	return say_done(connection);
}

/* libmicrohttpd calls this for the headers, for each part of the body, and at
 * its end. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection,
				  const char *url, const char *method,
				  const char *version, const char *data,
				  size_t *n, void **state)
{
	struct metrics_http *h = arg;

	(void)version;
	if (!*state)
		return begin(h, url, method, connection, state);
	if (*n) {
		take_part(*state, data, *n);
		*n = 0;
		return MHD_YES;
	}
	return act(h, *state, connection);
}

/* A stranger's connection costs no handshake. */
static enum MHD_Result on_accept(void *arg, const struct sockaddr *from,
				 socklen_t size)
{
	const struct metrics_http *h = arg;

	(void)size;
	return peer_owner_is_ours(&h->owner, from) ? MHD_YES : MHD_NO;
}

static void on_ended(void *arg, struct MHD_Connection *connection, void **state,
		     enum MHD_RequestTerminationCode code)
{
	(void)arg;
	(void)connection;
	(void)code;
	free(*state);
	*state = NULL;
}

/* --- the lines --- */

/* A reader that has no room now gets the newest one later. */
static void write_lines(struct metrics_http *h)
{
	uint64_t now = loop_now_ms();

	h->any_waits = false;
	for (unsigned i = 0; i < h->o.n; i++) {
		struct latest *l = &h->of[i];
		size_t n = strlen(l->line);

		if (!l->waits)
			continue;
		if ((l->written_ms && now - l->written_ms < METRICS_PAUSE_MS) ||
		    write(h->o.out_fd, l->line, n) != (ssize_t)n) {
			h->any_waits = true;
			continue;
		}
		l->waits = false;
		l->written_ms = now;
	}
}

static int idle(void *arg)
{
	struct metrics_http *h = arg;

	if (h->any_waits)
		write_lines(h);
	return h->any_waits ? METRICS_PAUSE_MS : -1;
}

int metrics_http_start(const struct metrics_http_options *options,
		       struct metrics_http **ret, struct err *err)
{
	struct metrics_http *h = calloc(1, sizeof(*h));
	const struct http_serve_options serve = {
		.fd = options->listen_fd,
		.accept = on_accept,
		.request = on_request,
		.ended = on_ended,
		.arg = h,
		.connections = METRICS_CONNECTIONS,
		.cert = options->cert,
		.key = options->key,
	};

	if (h)
		h->of = calloc(options->n ? options->n : 1, sizeof(*h->of));
	if (!h || !h->of) {
		free(h);
		return err_memory(err);
	}
	h->o = *options;
	peer_owner_open(&h->owner, h->o.listen_fd);
	if (http_serve_start(&h->serve, &serve, err) < 0) {
		metrics_http_stop(h);
		return -1;
	}
	*ret = h;
	return 0;
}

void metrics_http_run(struct metrics_http *h, int fd)
{
	http_serve_run(&h->serve, fd, idle, h);
	write_lines(h);
}

void metrics_http_stop(struct metrics_http *h)
{
	if (!h)
		return;
	http_serve_stop(&h->serve);
	peer_owner_close(&h->owner);
	free(h->of);
	free(h);
}
