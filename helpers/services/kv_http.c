/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP side of the key-value service, over libmicrohttpd: PUT, GET and
 * DELETE of /SECRET/SCOPE/KEY, as Horovod's Gloo client uses them. A path
 * without the secret is refused at the headers: the body isn't read.
 */
#include "helpers/services/kv_http.h"

#include "core/base/constant_time.h"

#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define IDLE_S		10 /* seconds until a silent connection is closed */
#define CONNECTIONS_MAX (1 << 20)
#define FILES		32 /* descriptors for other things than connections */
#define MEMORY		(8 * 1024) /* bytes for the headers of one connection */
#define BLOCK		(64 * 1024) /* step by which a body's buffer grows */

/* A request that is being read. Status 0: no error so far. */
struct exchange {
	char path[KV_PATH_MAX];
	char *body;
	size_t n, size;
	unsigned status;
};

/* What follows the secret in a path that begins with it, or NULL. Horovod's
 * client puts its ":PORT" after the address that it is given, and so after
 * the secret in "ADDRESS:PORT/SECRET". */
static const char *skip_secret(const char *path, const char *secret)
{
	size_t len = strlen(secret);

	if (strlen(path) < len || !constant_time_equal(path, secret, len))
		return NULL;
	path += len;
	if (*path == ':')
		path += 1 + strspn(path + 1, "0123456789");
	return *path == '/' ? path + 1 : NULL;
}

/* The "SCOPE/KEY" of a URL. Returns 0 or the status that refuses it. */
static unsigned read_path(const char *secret, const char *url,
			  char ret[KV_PATH_MAX])
{
	const char *slash;

	if (*url++ != '/')
		return *secret ? MHD_HTTP_FORBIDDEN : MHD_HTTP_BAD_REQUEST;
	if (*secret) {
		url = skip_secret(url, secret);
		if (!url)
			return MHD_HTTP_FORBIDDEN;
	}
	slash = strchr(url, '/');
	if (!slash || slash == url || !slash[1] || strchr(slash + 1, '/') ||
	    strlen(url) >= KV_PATH_MAX)
		return MHD_HTTP_BAD_REQUEST;
	strcpy(ret, url);
	return 0;
}

static enum MHD_Result send_answer(struct MHD_Connection *connection,
				   unsigned status, const void *data, size_t n)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		n, (void *)data, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result rc;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	rc = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return rc;
}

static const union MHD_ConnectionInfo *about(struct MHD_Connection *connection,
					     enum MHD_ConnectionInfoType what)
{
	return MHD_get_connection_info(connection, what);
}

/* The headers are there. A stranger is answered at once, which also ends the
 * reading of what he sends. */
static enum MHD_Result begin_request(struct kv_http *http, const char *url,
				     struct MHD_Connection *connection,
				     struct exchange **ret)
{
	struct exchange *x = calloc(1, sizeof(*x));

	if (!x)
		return MHD_NO;
	*ret = x;
	x->status = read_path(http->secret, url, x->path);
	if (x->status == MHD_HTTP_FORBIDDEN)
		return send_answer(connection, x->status, "", 0);
	kv_guests_welcome(&http->guests,
			  about(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
				  ->socket_context);
	return MHD_YES;
}

/* Store a part of the body. What doesn't fit is read and dropped, because a
 * rank that is still sending doesn't read the answer. */
static void take_part(struct kv_http *http, struct exchange *x,
		      const char *data, size_t n)
{
	if (x->status)
		return;
	if (!kv_store_has_room(http->store, x->path, http->reading + n)) {
		x->status = MHD_HTTP_INSUFFICIENT_STORAGE;
		return;
	}
	if (x->n + n > x->size) {
		size_t size = x->n + n + BLOCK;
		char *body = realloc(x->body, size);

		if (!body) {
			x->status = MHD_HTTP_INSUFFICIENT_STORAGE;
			return;
		}
		x->body = body;
		x->size = size;
	}
	memcpy(x->body + x->n, data, n);
	x->n += n;
	http->reading += n;
}

static enum MHD_Result act_on_request(struct kv_http *http, struct exchange *x,
				      const char *method,
				      struct MHD_Connection *connection)
{
	const void *value;
	size_t n;

	if (x->status)
		return send_answer(connection, x->status, "", 0);
	if (!strcmp(method, "GET")) {
		value = kv_store_get(http->store, x->path, &n);
		return value ? send_answer(connection, MHD_HTTP_OK, value, n)
			     : send_answer(connection, MHD_HTTP_NOT_FOUND, "",
					   0);
	}
	if (!strcmp(method, "DELETE"))
		kv_store_finish(http->store, x->path);
	else if (strcmp(method, "PUT") != 0)
		return send_answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "",
				   0);
	else if (kv_store_put(http->store, x->path, x->body, x->n) < 0)
		return send_answer(connection, MHD_HTTP_INSUFFICIENT_STORAGE,
				   "", 0);
	return send_answer(connection, MHD_HTTP_OK, "", 0);
}

/* libmicrohttpd calls this for the headers, for each part of the body, and at
 * its end. */
static enum MHD_Result handle_request(void *arg,
				      struct MHD_Connection *connection,
				      const char *url, const char *method,
				      const char *version, const char *data,
				      size_t *n, void **state)
{
	struct kv_http *http = arg;

	(void)version;
	if (!*state)
		return begin_request(http, url, connection,
				     (struct exchange **)state);
	if (*n) {
		take_part(http, *state, data, *n);
		*n = 0;
		return MHD_YES;
	}
	return act_on_request(http, *state, method, connection);
}

static void request_ended(void *arg, struct MHD_Connection *connection,
			  void **state, enum MHD_RequestTerminationCode code)
{
	struct exchange *x = *state;
	struct kv_http *http = arg;

	(void)connection;
	(void)code;
	if (x) {
		http->reading -= x->n;
		free(x->body);
	}
	free(x);
	*state = NULL;
}

/* A connection has come, or is about to be closed. */
static void note_connection(void *arg, struct MHD_Connection *connection,
			    void **context,
			    enum MHD_ConnectionNotificationCode code)
{
	struct kv_http *http = arg;
	struct kv_guest **guest = (struct kv_guest **)context;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED)
		kv_guests_remove(&http->guests, *guest);
	else
		*guest = kv_guests_add(
			&http->guests,
			about(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
				->connect_fd,
			about(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
				->client_addr);
}

/* As many connections as this process may have: all guests, and the ranks. */
static unsigned most_connections(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return KV_GUESTS_MAX;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur > CONNECTIONS_MAX + FILES)
		return CONNECTIONS_MAX;
	return r.rlim_cur > 2 * FILES ? (unsigned)r.rlim_cur - FILES : FILES;
}

int kv_http_start(struct kv_http *http, int fd, struct err *err)
{
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, handle_request, http,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED,
		request_ended, http, MHD_OPTION_NOTIFY_CONNECTION,
		note_connection, http, MHD_OPTION_CONNECTION_LIMIT,
		most_connections(), MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)MEMORY, MHD_OPTION_END);
	return http->daemon ? 0
			    : err_printf(err, "the HTTP server can't start");
}

/* Milliseconds for which nothing has to be done; -1: for ever. */
static int idle_ms(struct kv_http *http)
{
	int guests_ms = kv_guests_sweep(&http->guests);
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(http->daemon, &ms) != MHD_YES)
		return guests_ms;
	if (ms > IDLE_S * 1000)
		ms = IDLE_S * 1000;
	return guests_ms < 0 || (int)ms < guests_ms ? (int)ms : guests_ms;
}

void kv_http_run(struct kv_http *http, int fd)
{
	struct pollfd p[] = {
		{.fd = fd, .events = POLLIN},
		{.fd = MHD_get_daemon_info(http->daemon,
					   MHD_DAEMON_INFO_EPOLL_FD)
			       ->epoll_fd,
		 .events = POLLIN},
	};
	char rest[64];

	for (;;) {
		poll(p, 2, idle_ms(http));
		if (p[0].revents && read(fd, rest, sizeof(rest)) <= 0)
			return;
		MHD_run(http->daemon);
	}
}

void kv_http_stop(struct kv_http *http)
{
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	http->daemon = NULL;
}
