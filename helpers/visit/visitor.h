/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how a command looks into a running step, from any host that
 * reaches its nodes. Slurm says where the step is (step_find.h); one of its
 * launchers answers the question for the step's secret with a credential of
 * MUNGE, which the job's user alone can open; with that the command asks the
 * launchers, and is told (helpers/look/look.h). Nothing of the step is changed.
 */
#ifndef DT_HELPERS_VISIT_VISITOR_H
#define DT_HELPERS_VISIT_VISITOR_H

#include "core/base/err.h"
#include "helpers/visit/step_find.h"

#include <stddef.h>

struct visit {
	const struct found_step *step;
	unsigned port_min, port_max; /* the administrator's ports= */
	const char *what;	     /* "WHAT [WORD...]" */
	long ms;		     /* for the launchers to look */
	/* Of one launcher, as it comes; rows (core/facts/rows.h), which may be
	 * changed. */
	void (*shown)(void *arg, unsigned member, const char *node, char *rows);
	void *arg;
};

/* Blocks until all launchers that are there have answered or the time is over:
 * `ms` and 10 s for the way. Returns 0, or -1 when the step can't be reached or
 * doesn't answer. Call as the job's user. */
int visit_step(const struct visit *visit, struct err *err);

/* --- for a command that asks again and again, over one connection --- */

struct loop;
struct visitor;

struct visitor_calls {
	/* All have answered who are there: it may be asked again. With an
	 * error: the step can't be reached, has ended or doesn't answer, and
	 * that was the last call. It may not close the visitor. */
	void (*done)(void *arg, const struct err *err);
	void *arg;
};

/* Ask for the first time; the visit and what it points to is borrowed. What
 * comes is told from the loop. NULL: out of memory. */
struct visitor *visitor_open(const struct visit *visit, struct loop *loop,
			     const struct visitor_calls *calls,
			     struct err *err);

/* The same question; after `done`. */
void visitor_ask_again(struct visitor *visitor);

/* NULL is allowed. */
void visitor_close(struct visitor *visitor);

#endif
