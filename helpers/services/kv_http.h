/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP side of the key-value service, as Horovod's Gloo client speaks it
 * (horovod/common/gloo/http_store.cc): GET, PUT and DELETE of /SCOPE/KEY, or
 * of /SECRET/SCOPE/KEY; 200 and 404 are the answers that it knows.
 */
#ifndef DT_HELPERS_SERVICES_KV_HTTP_H
#define DT_HELPERS_SERVICES_KV_HTTP_H

#include "core/base/err.h"
#include "helpers/services/kv_store.h"

struct kv_http {
	struct kv_store *store;
	const char *secret; /* "": paths have none */
	size_t reading;	    /* bytes of bodies that aren't complete */
	struct MHD_Daemon *daemon;
};

/* Serve from this listening socket, in a thread of its own. The socket is taken
 * over. Stop with kv_http_stop(). */
int kv_http_start(struct kv_http *http, int fd, struct err *err);
void kv_http_stop(struct kv_http *http);

#endif
