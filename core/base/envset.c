/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of environment variables: name, value, where it comes from, and how
 * strong it is (enum env_kind). Frameworks add to it; envset_resolve() compares
 * it with what the user has set; the plugin or the launcher then applies the
 * entries.
 */
#include "core/base/envset.h"

#include "core/base/parse.h"

#include <stdarg.h>
#include <stdio.h>

#define BLOCK_SIZE 4000 /* bytes of text of a usual block */

struct envset_block {
	struct envset_block *before;
	size_t size, used;
	char text[];
};

/* NULL: no memory. */
static const char *copy_text(struct envset *set, const char *text)
{
	size_t n = strlen(text) + 1;
	struct envset_block *b = set->block;

	if (!b || n > b->size - b->used) {
		size_t size = n > BLOCK_SIZE ? n : BLOCK_SIZE;

		b = malloc(sizeof(*b) + size);
		if (!b)
			return NULL;
		*b = (struct envset_block){.before = set->block, .size = size};
		set->block = b;
	}
	b->used += n;
	return memcpy(b->text + b->used - n, text, n);
}

const struct env_entry *envset_find(const struct envset *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (*set->entry[i].name == *name &&
		    !strcmp(set->entry[i].name, name))
			return &set->entry[i];
	return NULL;
}

/* Return the entry of that name, or a new one at the end. */
static struct env_entry *take_entry(struct envset *set, const char *name)
{
	struct env_entry *e = (struct env_entry *)envset_find(set, name);

	if (e)
		return e;
	if (set->n == set->size) {
		size_t size = set->size ? set->size * 2 : 64;

		e = realloc(set->entry, size * sizeof(*e));
		if (!e)
			return NULL;
		set->entry = e;
		set->size = size;
	}
	return &set->entry[set->n++];
}

static int put_entry(struct envset *set, enum env_kind kind, const char *source,
		     const char *name, const char *value, struct err *err)
{
	const char *copy = copy_text(set, name);
	struct env_entry *e = copy ? take_entry(set, name) : NULL;

	if (!e)
		return err_memory(err);
	*e = (struct env_entry){
		.name = copy,
		.source = source,
		.value = value,
		.kind = kind,
	};
	return 0;
}

/* As vasprintf(), for which most values are too simple. */
__attribute__((format(printf, 2, 0))) static const char *
format_value(struct envset *set, const char *fmt, va_list ap)
{
	char digits[DIGITS_SIZE];
	cleanup_free char *text = NULL;

	if (!strcmp(fmt, "%s"))
		return copy_text(set, va_arg(ap, const char *));
	if (!strcmp(fmt, "%u"))
		return copy_text(set,
				 digits_text(va_arg(ap, unsigned), digits));
	return vasprintf(&text, fmt, ap) < 0 ? NULL : copy_text(set, text);
}

int envset_add(struct envset *set, enum env_kind kind, const char *source,
	       struct err *err, const char *name, const char *fmt, ...)
{
	const char *value;
	va_list ap;

	va_start(ap, fmt);
	value = format_value(set, fmt, ap);
	va_end(ap);
	if (!value)
		return err_memory(err);
	if (strlen(name) + strlen(value) + 2 > ENV_STRING_MAX)
		return err_printf(err,
				  "%s would have %zu bytes; an environment "
				  "variable has at most %d with its name",
				  name, strlen(value), ENV_STRING_MAX - 1);
	return put_entry(set, kind, source, name, value, err);
}

int envset_add_rows(struct envset *set, const struct env_row *row, size_t n,
		    struct err *err)
{
	const char *text;
	char number[DIGITS_SIZE];

	for (; n--; row++) {
		text = row->text ? row->text : digits_text(row->n, number);
		if (row->name && envset_add(set, row->kind, row->source, err,
					    row->name, "%s", text) < 0)
			return -1;
	}
	return 0;
}

int envset_unset(struct envset *set, enum env_kind kind, const char *source,
		 struct err *err, const char *name)
{
	return put_entry(set, kind, source, name, NULL, err);
}

int envset_append(struct envset *set, const char *source, struct err *err,
		  const char *name, const char *item,
		  const char *const wherever[])
{
	const struct env_entry *had = envset_find(set, name);
	bool joins = had && had->kind == ENV_LIST && had->value;

	if (envset_add(set, ENV_LIST, source, err, name, "%s%s%s",
		       joins ? had->value : "", joins ? "," : "", item) < 0)
		return -1;
	((struct env_entry *)envset_find(set, name))->wherever = wherever;
	return 0;
}

int envset_unset_all(struct envset *set, enum env_kind kind, const char *source,
		     struct err *err, const char *const names[])
{
	for (int i = 0; names[i]; i++)
		if (envset_unset(set, kind, source, err, names[i]) < 0)
			return -1;
	return 0;
}

void envset_follow(struct envset *set, const char *name, const char *leader)
{
	struct env_entry *e = (struct env_entry *)envset_find(set, name);

	if (e)
		e->leader = leader;
}

void envset_hide(struct envset *set, const char *name)
{
	struct env_entry *e = (struct env_entry *)envset_find(set, name);

	if (e)
		e->secret = true;
}

/* Whether the user has set the variable. */
static bool is_set(const char *name, env_lookup_fn lookup, void *arg)
{
	const char *value = lookup(arg, name);

	return value && strcmp(value, ENV_PLUGIN_MISSING) != 0;
}

/* Whether one of these variables is set and not empty. */
static bool has_occasion(const char *const wherever[], env_lookup_fn lookup,
			 void *arg)
{
	for (; *wherever; wherever++) {
		const char *value = lookup(arg, *wherever);

		if (value && *value)
			return true;
	}
	return false;
}

static bool list_has(const char *list, const char *item)
{
	size_t len = strlen(item);

	for (;; list++) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, item, len))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

/* Put two texts together as the entry's value, if that isn't too long and there
 * is memory: else the user's own value stays. */
static enum env_state join_value(struct envset *set, struct env_entry *e,
				 const char *first, char between,
				 const char *second)
{
	cleanup_free char *all = NULL;
	const char *value;

	if (strlen(e->name) + strlen(first) + strlen(second) + 3 >
		    ENV_STRING_MAX ||
	    asprintf(&all, "%s%c%s", first, between, second) < 0)
		return ENV_KEPT;
	value = copy_text(set, all);
	if (!value)
		return ENV_KEPT;
	e->value = value;
	return ENV_REPLACED;
}

/* Append the item to the user's list. */
static enum env_state extend_list(struct envset *set, struct env_entry *e)
{
	if (!e->former || !*e->former)
		return e->former ? ENV_REPLACED : ENV_NEW;
	if (list_has(e->former, e->value))
		return ENV_KEPT;
	return join_value(set, e, e->former, ',', e->value);
}

/* Put the folders before the user's folders, unless an outer step has done
 * so. */
static enum env_state extend_folders(struct envset *set, struct env_entry *e)
{
	size_t len = strlen(e->value);

	if (!e->former || !*e->former || !strcmp(e->former, ENV_PLUGIN_MISSING))
		return e->former ? ENV_REPLACED : ENV_NEW;
	if (!strncmp(e->former, e->value, len) &&
	    (!e->former[len] || e->former[len] == ':'))
		return ENV_KEPT;
	return join_value(set, e, e->value, ':', e->former);
}

static enum env_state decide_entry(const struct env_entry *e, bool overwrite,
				   bool stale)
{
	if (!e->former)
		return ENV_NEW;
	if (e->value && !strcmp(e->former, e->value))
		return ENV_SAME;
	if (e->kind == ENV_OURS || e->kind == ENV_STEPS || overwrite || stale ||
	    !strcmp(e->former, ENV_PLUGIN_MISSING))
		return ENV_REPLACED;
	return ENV_KEPT;
}

/* The user's other variable speaks for this one: what stands here, if anything,
 * is a marker of ours. */
static void leave_to_leader(struct env_entry *e)
{
	e->state = e->former ? ENV_REPLACED : ENV_KEPT;
	if (e->former)
		e->value = NULL;
}

/* Remove list items that only matter if certain variables are set, and none
 * is. */
static void drop_needless(struct envset *set, env_lookup_fn lookup, void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct env_entry *e = &set->entry[i];

		if (!e->wherever || has_occasion(e->wherever, lookup, arg))
			set->entry[n++] = *e;
	}
	set->n = n;
}

void envset_resolve(struct envset *set, env_lookup_fn lookup, void *arg,
		    bool overwrite, bool stale)
{
	drop_needless(set, lookup, arg);
	for (size_t i = 0; i < set->n; i++) {
		struct env_entry *e = &set->entry[i];

		e->former = lookup(arg, e->name);
		if (e->kind == ENV_LIST)
			e->state = extend_list(set, e);
		else if (e->kind == ENV_FOLDERS)
			e->state = extend_folders(set, e);
		else
			e->state = decide_entry(e, overwrite, stale);
		if (e->leader && !overwrite && !stale &&
		    !is_set(e->name, lookup, arg) &&
		    is_set(e->leader, lookup, arg))
			leave_to_leader(e);
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
	free(set->entry);
	while (set->block) {
		struct envset_block *b = set->block;

		set->block = b->before;
		free(b);
	}
	*set = (struct envset){0};
}
