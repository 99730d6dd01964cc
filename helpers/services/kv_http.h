/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP side of the key-value service, as Horovod's Gloo client speaks it
 * (horovod/common/gloo/http_store.cc): GET, PUT and DELETE of /SCOPE/KEY, or
 * of /SECRET/SCOPE/KEY; 200 and 404 are the answers that it knows.
 *
 * helpers/services holds the programs that run beside the user's processes:
 * dist-train-kv	that service: kv_http.h over kv_store.c
 * dist-train-metrics	takes reports of progress: metrics_http.h
 * dist-train-ray	this node's part of a Ray cluster
 * dist-train-tf-server	a TensorFlow server, in the place of the program
 * The plan says which a step has (struct service); helpers/launch starts
 * them as the user, waits until they say that they are ready, and ends them.
 * They know nothing of Slurm, of plans or of the channel: arguments, variables
 * and a line of standard input are all that they get.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/services/http_serve.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * What the key-value service keeps: values by "SCOPE/KEY".
 *
 * A client that has what it needs says that its key is finished. The values of
 * a scope go when all of its keys are finished, since until then others may
 * still ask for them (horovod/runner/http/http_server.py counts likewise).
 */

#define KV_PATH_MAX 512 /* bytes of "SCOPE/KEY" with its NUL */

struct kv_store;

/* A store of at most `max` bytes, its own overhead included. NULL: out of
 * memory. Free with kv_store_free(). */
struct kv_store *kv_store_new(size_t max);
void kv_store_free(struct kv_store *store);

/* Whether there is room for a value of n bytes more under this path. */
bool kv_store_has_room(const struct kv_store *store, const char *path,
		       size_t n);

/* Keep a copy, instead of a former value. Returns 0, or -1 when there is no
 * room or no memory. `path` has one '/' and fewer than KV_PATH_MAX bytes. */
int kv_store_put(struct kv_store *store, const char *path, const void *data,
		 size_t n);

/* The value, owned by the store, and its length; NULL: there is none. */
const void *kv_store_get(const struct kv_store *store, const char *path,
			 size_t *ret_n);

/* The path's client needs this scope no more. */
void kv_store_finish(struct kv_store *store, const char *path);

struct kv_http {
	struct kv_store *store;
	const char *secret; /* "": paths have none */
	size_t reading;	    /* bytes of bodies that aren't complete */
	struct http_serve serve;
};

/* Be ready to serve from this listening socket, which is taken over. A
 * connection is closed after one answer; one that hasn't shown the secret is
 * bounded in time and number (http_serve.h). Returns 0, or -1 with the error.
 * Stop with kv_http_stop(). */
int kv_http_start(struct kv_http *http, int fd, struct err *err);

/* Serve in this thread until the other end of the pipe `fd` is closed; what
 * comes from there is dropped. */
void kv_http_run(struct kv_http *http, int fd);

void kv_http_stop(struct kv_http *http);

/*
 * Whose a connection on this host is: a port of 127.0.0.1 is open to all users
 * of the node. The kernel tells it of the other end's socket (sock_diag(7)),
 * before a byte is read.
 */

struct peer_owner {
	int fd; /* -1: this kernel doesn't tell */
	struct sockaddr_in at;
};

/* For a socket that listens on an IPv4 address of this host. */
void peer_owner_open(struct peer_owner *p, int listen_fd);

/* Whether the other end of a connection to it, which has that address, is this
 * user's or root's, and open; true where the kernel doesn't tell. */
bool peer_owner_is_ours(const struct peer_owner *p,
			const struct sockaddr *from);

void peer_owner_close(struct peer_owner *p);
