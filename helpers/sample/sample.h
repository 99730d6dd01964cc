/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the stacks of the ranks of a launcher, and what those of all
 * launchers mean (doc/design/helpers-sample.md).
 *
 *	sample.h	in the launcher: take them; rows (core/facts/rows.h)
 *	sample_rank.h	the same of one rank, in a child, which may block
 *	proc_look.h	what /proc tells of processes and threads
 *	program_find.h	which process below a rank's own is the program: pure
 *	tools.h		py-spy, eu-stack: where they are, how to call them, and
 *			what they print, as threads and frames
 *	group.h		the rows of all ranks, grouped, and as text: pure; for
 *			commands, too
 *
 * The launchers' sight "stack" (helpers/look/look_stack.c) answers with the
 * rows, whose fields are:
 *
 *	proc RANK PID COMM TOOL STATE	a rank's program
 *	child RANK PID COMM TOOL STATE	a process below it: a data loader's
 *	gone RANK PID			a rank whose process has ended
 *	thread TID NAME STATE WCHAN	of the process above, its main thread
 *					first
 *	frame FUNCTION FILE LINE	of the thread above, the innermost first
 *	note TEXT			what couldn't be had, and why
 *	world NAME			of a step with several roles: ranks that
 *					follow are of that one
 *
 * STATE is the letter of /proc/PID/stat from before the sample. TOOL is py-spy,
 * eu-stack, or proc: states alone. FILE "" and LINE 0: unknown.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/sample/program_find.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>

struct sample_wish {
	struct loop *loop;
	const struct sample_target *target; /* n of them; copied */
	unsigned n;
	long ms;	 /* for all; what isn't there by then is a note */
	size_t rows_max; /* bytes of the answer */
	bool native;	 /* native frames of Python programs, too: they stop
			    for longer */
	/* Once, from the loop; the sampling is gone afterwards. */
	void (*done)(void *arg, const char *rows);
	void *arg;
};

struct sampling;

/* Begin. The programs stop for no longer than their tools need for a sample; no
 * child is left when it is done or dropped. Returns NULL when out of memory. */
struct sampling *sample_begin(const struct sample_wish *wish, struct err *err);

/* End it before it is done; nothing is called. NULL is allowed. */
void sample_drop(struct sampling *s);
