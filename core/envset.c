/* SPDX-License-Identifier: Apache-2.0 */
#include "core/envset.h"

#include "core/cleanup.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void entry_clear(struct env_entry *e)
{
	free(e->value);
	free(e->former);
	*e = (struct env_entry){0};
}

const struct env_entry *envset_find(const struct envset *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (!strcmp(set->entry[i].name, name))
			return &set->entry[i];
	return NULL;
}

/* The entry of that name, emptied, or a new one at the end. */
static struct env_entry *take_entry(struct envset *set, const char *name)
{
	struct env_entry *e = (struct env_entry *)envset_find(set, name);

	if (e) {
		entry_clear(e);
		return e;
	}
	if (set->n == set->size) {
		size_t size = set->size ? set->size * 2 : 32;

		e = realloc(set->entry, size * sizeof(*e));
		if (!e)
			return NULL;
		set->entry = e;
		set->size = size;
	}
	e = &set->entry[set->n++];
	*e = (struct env_entry){0};
	return e;
}

/* Takes over `value`. */
static int put(struct envset *set, enum env_kind kind, const char *source,
	       const char *name, char *value, struct err *err)
{
	struct env_entry *e = take_entry(set, name);

	if (!e) {
		free(value);
		return err_memory(err);
	}
	*e = (struct env_entry){
		.name = name,
		.source = source,
		.value = value,
		.kind = kind,
	};
	return 0;
}

int envset_add(struct envset *set, enum env_kind kind, const char *source,
	       struct err *err, const char *name, const char *fmt, ...)
{
	char *value = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&value, fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_memory(err);
	if (strlen(name) + (size_t)n + 2 > ENV_STRING_MAX) {
		free(value);
		return err_printf(err,
				  "%s would have %d bytes; an environment "
				  "string has at most %d with its name",
				  name, n, ENV_STRING_MAX - 1);
	}
	return put(set, kind, source, name, value, err);
}

int envset_unset(struct envset *set, enum env_kind kind, const char *source,
		 struct err *err, const char *name)
{
	return put(set, kind, source, name, NULL, err);
}

void envset_follow(struct envset *set, const char *name, const char *leader)
{
	struct env_entry *e = (struct env_entry *)envset_find(set, name);

	if (e)
		e->leader = leader;
}

/* Whether the user has set the variable that speaks for this one too. */
static bool leader_is_set(const struct env_entry *e, env_lookup_fn lookup,
			  void *arg)
{
	cleanup_free char *value = e->leader ? lookup(arg, e->leader) : NULL;

	return value && strcmp(value, ENV_PLUGIN_MISSING) != 0;
}

static enum env_state decide(const struct env_entry *e, bool overwrite,
			     bool stale)
{
	if (!e->former)
		return ENV_NEW;
	if (e->value && !strcmp(e->former, e->value))
		return ENV_SAME;
	if (e->kind == ENV_OURS || overwrite || stale ||
	    !strcmp(e->former, ENV_PLUGIN_MISSING))
		return ENV_REPLACED;
	return ENV_KEPT;
}

void envset_resolve(struct envset *set, env_lookup_fn lookup, void *arg,
		    bool overwrite, bool stale)
{
	for (size_t i = 0; i < set->n; i++) {
		struct env_entry *e = &set->entry[i];

		free(e->former);
		e->former = lookup(arg, e->name);
		e->state = decide(e, overwrite, stale);
		if (e->state == ENV_NEW && !overwrite && !stale &&
		    leader_is_set(e, lookup, arg))
			e->state = ENV_KEPT;
	}
}

bool env_entry_applies(const struct env_entry *entry)
{
	if (entry->state == ENV_NEW)
		return entry->value != NULL;
	return entry->state == ENV_REPLACED;
}

void envset_clear(struct envset *set)
{
	for (size_t i = 0; i < set->n; i++)
		entry_clear(&set->entry[i]);
	free(set->entry);
	*set = (struct envset){0};
}
