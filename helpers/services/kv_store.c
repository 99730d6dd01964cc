/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of the key-value service, in memory: scopes, each with its
 * keys, in two trees of tsearch(). A scope is removed when Horovod's client
 * deletes it.
 */
#include "helpers/services/kv_http.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Additional bytes per value: a tree node and the allocator's headers. */
#define OVERHEAD (sizeof(struct value) + 96)

struct scope {
	char *name; /* first: see compare() */
	struct value *first;
	size_t nentries, nfinished;
};

struct value {
	char *path; /* first: see compare() */
	struct scope *scope;
	struct value *next; /* of the scope */
	void *data;
	size_t n;
	bool finished;
};

struct kv_store {
	void *scopes, *entries; /* trees of tsearch() */
	size_t used, max;
};

/* Compare scopes or entries by name, which is the first member of both. */
static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void *tree_find(void *const *tree, const char *name)
{
	const char *key = name;
	void *const *node = tfind(&key, tree, compare);

	return node ? *node : NULL;
}

struct kv_store *kv_store_new(size_t max)
{
	struct kv_store *store = calloc(1, sizeof(*store));

	if (store)
		store->max = max;
	return store;
}

static size_t entry_cost(const struct value *e)
{
	return OVERHEAD + strlen(e->path) + e->n;
}

static void entry_free(struct value *e)
{
	free(e->path);
	free(e->data);
	free(e);
}

static void remove_scope(struct kv_store *store, struct scope *scope)
{
	struct value *next;

	for (struct value *e = scope->first; e; e = next) {
		next = e->next;
		store->used -= entry_cost(e);
		tdelete(e, &store->entries, compare);
		entry_free(e);
	}
	tdelete(scope, &store->scopes, compare);
	free(scope->name);
	free(scope);
}

void kv_store_free(struct kv_store *store)
{
	while (store && store->scopes)
		remove_scope(store, *(struct scope **)store->scopes);
	free(store);
}

/* The scope of that path; created if it doesn't exist. */
static struct scope *take_scope(struct kv_store *store, const char *path)
{
	char name[KV_PATH_MAX];
	struct scope *scope;
	size_t len = strcspn(path, "/");

	memcpy(name, path, len);
	name[len] = '\0';
	scope = tree_find(&store->scopes, name);
	if (scope)
		return scope;
	scope = calloc(1, sizeof(*scope));
	if (scope)
		scope->name = strdup(name);
	if (scope && scope->name && tsearch(scope, &store->scopes, compare))
		return scope;
	if (scope)
		free(scope->name);
	free(scope);
	return NULL;
}

static struct value *add_entry(struct kv_store *store, const char *path)
{
	struct scope *scope = take_scope(store, path);
	struct value *e = scope ? calloc(1, sizeof(*e)) : NULL;

	if (e)
		e->path = strdup(path);
	if (!e || !e->path || !tsearch(e, &store->entries, compare)) {
		if (e)
			free(e->path);
		free(e);
		if (scope && !scope->first)
			remove_scope(store, scope);
		return NULL;
	}
	e->scope = scope;
	e->next = scope->first;
	scope->first = e;
	scope->nentries++;
	store->used += entry_cost(e);
	return e;
}

bool kv_store_has_room(const struct kv_store *store, const char *path, size_t n)
{
	const struct value *e = tree_find(&store->entries, path);
	size_t used = store->used;

	used = e ? used - e->n : used + OVERHEAD + strlen(path);
	return used <= store->max && n <= store->max - used;
}

int kv_store_put(struct kv_store *store, const char *path, const void *data,
		 size_t n)
{
	struct value *e;
	void *copy;

	if (!kv_store_has_room(store, path, n))
		return -1;
	copy = malloc(n ? n : 1);
	e = copy ? tree_find(&store->entries, path) : NULL;
	if (copy && !e)
		e = add_entry(store, path);
	if (!e) {
		free(copy);
		return -1;
	}
	if (n)
		memcpy(copy, data, n);
	store->used += n;
	store->used -= e->n;
	free(e->data);
	e->data = copy;
	e->n = n;
	e->scope->nfinished -= e->finished;
	e->finished = false;
	return 0;
}

const void *kv_store_get(const struct kv_store *store, const char *path,
			 size_t *ret_n)
{
	const struct value *e = tree_find(&store->entries, path);

	if (!e)
		return NULL;
	*ret_n = e->n;
	return e->data;
}

void kv_store_finish(struct kv_store *store, const char *path)
{
	struct value *e = tree_find(&store->entries, path);

	if (!e || e->finished)
		return;
	e->finished = true;
	if (++e->scope->nfinished == e->scope->nentries)
		remove_scope(store, e->scope);
}
