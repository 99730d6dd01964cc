/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP side of the key-value service, over libmicrohttpd: PUT, GET and
 * DELETE of /SECRET/SCOPE/KEY, as Horovod's Gloo client uses them. A path
 * without the secret is refused at the headers: the body isn't read.
 */
#include "helpers/services/kv_http.h"

#include "core/base/constant_time.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK (64 * 1024) /* step by which a body's buffer grows */

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
	return http_serve_answer(connection, status, NULL, data, n);
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
	http_serve_welcome(&http->serve, connection);
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

int kv_http_start(struct kv_http *http, int fd, struct err *err)
{
	const struct http_serve_options options = {
		.fd = fd,
		.request = handle_request,
		.ended = request_ended,
		.arg = http,
	};

	return http_serve_start(&http->serve, &options, err);
}

void kv_http_run(struct kv_http *http, int fd)
{
	http_serve_run(&http->serve, fd, NULL, NULL);
}

void kv_http_stop(struct kv_http *http)
{
	http_serve_stop(&http->serve);
}
