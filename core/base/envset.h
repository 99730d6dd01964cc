/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment that a process is to get, and how it meets the one that the
 * user has set.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The longest NAME=value string with its NUL: one byte less than the kernel
 * takes (MAX_ARG_STRLEN, include/uapi/linux/binfmts.h), because Slurm drops
 * the longest one (setenvf() in src/common/env.c). */
#define ENV_STRING_MAX 131071

/* What srun gives each variable that the nodes will set: it stays on a node
 * without the plugin. */
#define ENV_PLUGIN_MISSING "dist-train:plugin-missing-on-this-node"

/* Stand in a value for what is known only in a step. */
#define ENV_LATER   "(when the step starts)"
#define ENV_ON_NODE "(known on the node)"

enum env_kind {
	ENV_OURS,    /* never the user's: always set */
	ENV_STEPS,   /* only the step can know it: always set; the user's other
			value is reported */
	ENV_WORLD,   /* a rank, or the size of the world: the user's value is
			kept, but one that contradicts is an error */
	ENV_FACT,    /* true of the step: the user's value is kept, and reported
			when it contradicts */
	ENV_HINT,    /* a good choice: the user's value is kept in silence */
	ENV_LIST,    /* an item of a list, whose other items stay */
	ENV_FOLDERS, /* before a list of folders, which stay */
};

/* Whether such a value is no choice. */
static inline bool env_kind_is_true(enum env_kind kind)
{
	return kind == ENV_OURS || kind == ENV_STEPS || kind == ENV_WORLD ||
	       kind == ENV_FACT;
}

enum env_state {
	ENV_NEW,      /* was not set */
	ENV_SAME,     /* the user has the same value */
	ENV_KEPT,     /* the user's other value stays */
	ENV_REPLACED, /* a former value is replaced */
};

struct env_entry {
	const char *name;   /* the set's, as the value is */
	const char *source; /* where the value comes from; borrowed */
	const char *value;  /* NULL: to be unset */
	const char *former; /* what was there, if anything: the environment's,
			       until it changes; after resolve */
	const char *leader; /* see envset_follow() */
	const char *const *wherever; /* see envset_append() */
	enum env_kind kind;
	enum env_state state; /* after resolve */
	bool secret;	      /* see envset_hide() */
};

/* Names and values are side by side in few blocks of memory, which stay until
 * the set is cleared: a task makes a set between fork and exec, where each page
 * of the heap that it touches has to be copied. */
struct envset {
	struct env_entry *entry;
	size_t n, size;
	struct envset_block *block; /* the newest one */
};

/* Look a variable up. Returns its value, borrowed until the environment
 * changes, or NULL. */
typedef const char *(*env_lookup_fn)(void *arg, const char *name);

/* Add NAME=value (printf-like) with its source, which must outlive
 * the set. A name that is there already is replaced: the later caller is the
 * stronger one. Fails when out of memory or when the string would exceed
 * ENV_STRING_MAX (the error says the size). */
int envset_add(struct envset *set, enum env_kind kind, const char *source,
	       struct err *err, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* One of several variables: its value is the text, or where that is NULL the
 * number; without a name it is none. */
struct env_row {
	enum env_kind kind;
	const char *name, *source; /* outlives the set, as above */
	const char *text;
	unsigned long n;
};

/* The same for each of an array, in its order. */
int envset_add_rows(struct envset *set, const struct env_row *row, size_t n,
		    struct err *err);
#define ENVSET_ADD(set, rows, err)                                             \
	envset_add_rows(set, rows, sizeof(rows) / sizeof(*(rows)), err)

/* The process must not have this variable (unless the user set it). */
int envset_unset(struct envset *set, enum env_kind kind, const char *source,
		 struct err *err, const char *name);

/* The same for each of `names`, which end with NULL. */
int envset_unset_all(struct envset *set, enum env_kind kind, const char *source,
		     struct err *err, const char *const names[]);

/* Leave `name` alone when the user has set `leader`, which then speaks for
 * both: `name` isn't set. `leader` must outlive the set. */
void envset_follow(struct envset *set, const char *name, const char *leader);

/* The value of `name`, ours and the user's, is shown to nobody
 * (core/base/env_secret.h). */
void envset_hide(struct envset *set, const char *name);

/* Add `item` to the comma-separated list NAME, but only wherever one of these
 * variables is set: envset_resolve() removes the entry elsewhere. `wherever`
 * ends with NULL and must outlive the set, as the source must. Items that were
 * added to NAME before are added, too; the last `wherever` counts for all. */
int envset_append(struct envset *set, const char *source, struct err *err,
		  const char *name, const char *item,
		  const char *const wherever[]);

/* Decide for each entry between our value and the one that is there.
 * `overwrite`: the user wants ours. `stale`: what is there was left by an
 * outer step of ours and may be replaced. */
void envset_resolve(struct envset *set, env_lookup_fn lookup, void *arg,
		    bool overwrite, bool stale);

/* Whether the entry has to be applied (set or unset). */
bool env_entry_applies(const struct env_entry *entry);

const struct env_entry *envset_find(const struct envset *set, const char *name);

void envset_clear(struct envset *set);

/*
 * An environment as the kernel has it: an array of NAME=value that ends with
 * NULL. Of several with one name the first counts, as for getenv().
 */

/* The value of NAME, within the array's own bytes, or NULL; `env` may be
 * NULL. */
static inline char *env_array_value(char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; env && *env; env++)
		if (**env == *name && !strncmp(*env, name, len) &&
		    (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

/* The loader's: libraries for the user's program, which aren't for ours. */
#define PRELOAD_VARIABLE "LD_PRELOAD"
