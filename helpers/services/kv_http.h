/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP side of the key-value service, as Horovod's Gloo client speaks it
 * (horovod/common/gloo/http_store.cc): GET, PUT and DELETE of /SCOPE/KEY, or
 * of /SECRET/SCOPE/KEY; 200 and 404 are the answers that it knows.
 *
 * helpers/services holds the programs that run beside the user's processes:
 * dist-train-kv	that service: kv_http.h over kv_store.h
 * dist-train-metrics	takes reports of progress: metrics_http.h
 * dist-train-ray	this node's part of a Ray cluster
 * dist-train-tf-server	a TensorFlow server, in the place of the program
 * The plan says which a step has (core/plan/service.h); helpers/launch starts
 * them as the user, waits until they say that they are ready, and ends them.
 * They know nothing of Slurm, of plans or of the channel: arguments, variables
 * and a line of standard input are all that they get.
 */
#ifndef DT_HELPERS_SERVICES_KV_HTTP_H
#define DT_HELPERS_SERVICES_KV_HTTP_H

#include "core/base/err.h"
#include "helpers/services/http_serve.h"
#include "helpers/services/kv_store.h"

struct kv_http {
	struct kv_store *store;
	const char *secret; /* "": paths have none */
	size_t reading;	    /* bytes of bodies that aren't complete */
	struct http_serve serve;
};

/* Be ready to serve from this listening socket, which is taken over. A
 * connection is closed after one answer; one that hasn't shown the secret is
 * bounded in time and number (kv_guests.h). Returns 0, or -1 with the error.
 * Stop with kv_http_stop(). */
int kv_http_start(struct kv_http *http, int fd, struct err *err);

/* Serve in this thread until the other end of the pipe `fd` is closed; what
 * comes from there is dropped. */
void kv_http_run(struct kv_http *http, int fd);

void kv_http_stop(struct kv_http *http);

#endif
