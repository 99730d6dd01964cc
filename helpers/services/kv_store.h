/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the key-value service keeps: values by "SCOPE/KEY".
 *
 * A client that has what it needs says that its key is finished. The values of
 * a scope go when all of its keys are finished, since until then others may
 * still ask for them (horovod/runner/http/http_server.py counts likewise).
 */
#ifndef DT_HELPERS_SERVICES_KV_STORE_H
#define DT_HELPERS_SERVICES_KV_STORE_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
