/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a step that isn't there, with their variables: one, and what
 * several have in common. For every form in which explain shows them.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_PROCESS_VIEW_H
#define DT_HELPERS_CLI_EXPLAIN_PROCESS_VIEW_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdbool.h>

/* One process; clear with process_view_clear(). */
struct process_view {
	struct process process;
	struct envset set; /* resolved, as if nothing had been set before */
};

#define cleanup_process __attribute__((cleanup(process_view_clear)))

/* Move the view to `rank` and make that process. */
int process_view_make(struct dryrun_view *view, unsigned rank,
		      struct process_view *ret, struct err *err);
void process_view_clear(struct process_view *p);

/* The variables of several processes. */
struct process_common {
	struct envset set; /* each that one of them has, with the value of the
			      first that has it */
	bool *differs;	   /* for each of `set`: not all have the same */
};

#define cleanup_common __attribute__((cleanup(process_common_clear)))

/* Compare the processes of these `n` ranks, or where `rank` is NULL those from
 * 0 on. */
int process_common_make(struct dryrun_view *view, const unsigned *rank,
			unsigned n, struct process_common *ret,
			struct err *err);
void process_common_clear(struct process_common *c);

/* Whether all have this variable with the same value. */
bool process_common_has(const struct process_common *c, const char *name);

/* Those of `c` that differ, or those that don't: the array is the caller's to
 * free, the entries stay c's. Fails when out of memory. */
int process_common_part(const struct process_common *c, bool differs,
			struct envset *ret, struct err *err);

#endif
