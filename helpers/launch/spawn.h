/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one way in which the launcher starts a process: a worker, a service, or
 * the script that starts the workers. In this order:
 *
 *	SPAWN struct spawn s;	what it owns is freed at the end of its scope
 *	spawn_init()		the user's program, with the launcher's streams
 *	process_env(), envset_add() on s.set; spawn_prepend_path()
 *	spawn_show() or spawn_resolve()
 *	spawn_attach(), or set s.child
 *	spawn_start()
 */
#ifndef DT_HELPERS_LAUNCH_SPAWN_H
#define DT_HELPERS_LAUNCH_SPAWN_H

#include "core/base/envset.h"
#include "core/plan/plan.h"
#include "sys/child.h"

#include <stdbool.h>

struct launch;

struct spawn {
	unsigned index;		    /* its place among the procs */
	struct process process;	    /* its rank, role and devices */
	struct envset set;	    /* owned: what its environment gets */
	const char *const *without; /* prefixes that it doesn't inherit */
	struct child child; /* what is executed; its streams are closed and its
			       env is freed, the rest is borrowed */
};

#define SPAWN __attribute__((cleanup(spawn_clear)))

/* Process `index` of the procs: the program of `l` with its arguments,
 * what it doesn't inherit, and -1 for each stream. */
void spawn_init(const struct launch *l, unsigned index, struct spawn *ret);

/* Let its PATH begin with the folder of the step's files; `source` says in
 * explain why. Returns 0 or -1. */
int spawn_prepend_path(const struct launch *l, struct spawn *s,
		       const char *source, struct err *err);

/* Meet the set with the launcher's own environment. `overwrite`: the user's
 * values give way. */
void spawn_resolve(const struct launch *l, struct spawn *s, bool overwrite);

/* The same as the request wants it, and print what the key explain asks for,
 * on stdout with explain=only. Returns 0 or -1. */
int spawn_show(const struct launch *l, struct spawn *s, struct err *err);

/* Where the launcher labels or keeps what processes write: connect its output
 * with that. Returns 0 or -1. */
int spawn_attach(struct launch *l, struct spawn *s, struct err *err);

/* Start it. s->child.env is then the environment that it was given. Returns 0
 * or -1. */
int spawn_start(struct launch *l, struct spawn *s, struct err *err);

void spawn_clear(struct spawn *s);

#endif
