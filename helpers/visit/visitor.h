/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how a command looks into a running step, from any host that
 * reaches srun's host or its nodes. Slurm says where the step is (step_find.h);
 * its controller answers the question for the step's secret so that the job's
 * user alone can open it (helpers/auth, way_search.h); with that the command
 * asks the launchers, and is told (helpers/part/sight.h). Nothing of the step
 * is changed.
 *
 * step_find		which step, and where: by scontrol.c
 * step_text		what scontrol prints: pure
 * site_ports		the administrator's ports
 * words_heard		what of an answer is taken, and made fit to be shown
 * way_search	which of the addresses leads to the step
 * visit		what a question is
 * visit_one		one question, and what all launchers answer
 * visitor		the same of a step, and of its worlds where it has roles
 * visit_missing, node_names	who hasn't
 */
#pragma once

#include "core/base/err.h"
#include "helpers/visit/visit.h"

/* --- asked once --- */

/* "MIN-MAX", as --ports= has it; NULL: as found. Returns 0 or -1. */
int visit_read_ports(const char *text, struct visit_ports *ret,
		     struct err *err);

/* Blocks until all launchers that are there have answered or the time is over:
 * `ms` and 10 s for the way. Returns 0, or -1 when the step can't be reached or
 * doesn't answer, or ends meanwhile: what was shown may be a part then. Call as
 * the job's user. */
int visit_step(const struct visit *visit, struct err *err);

/* --- for a command that asks again and again, over one connection --- */

struct loop;
struct visitor;

/* Ask for the first time; the visit and what it points to is borrowed. What
 * comes is told from the loop. NULL: out of memory. */
struct visitor *visitor_open(const struct visit *visit, struct loop *loop,
			     const struct visitor_calls *calls,
			     struct err *err);

/* The same question; after `done`. */
void visitor_ask_again(struct visitor *visitor);

/* NULL is allowed. */
void visitor_close(struct visitor *visitor);
