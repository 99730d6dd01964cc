/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the workers write: by default they have the task's own stdout and
 * stderr and nothing of this is used. With label=yes, log-dir= or timeline=
 * each has two pipes, which a thread of the launcher reads and writes on (why a
 * thread: see io_thread.h).
 */
#ifndef DT_HELPERS_OUTPUT_OUTPUT_H
#define DT_HELPERS_OUTPUT_OUTPUT_H

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "helpers/output/timeline.h"
#include "sys/loop.h"

struct output;

/* Make ready for the plan's processes; plan and timeline must outlive it. *ret
 * is NULL when the request asks for nothing. `drained` is called once, when
 * output_finish() has been called and everything has been read and written.
 * Returns 0 or -1. */
int output_open(struct loop *loop, const struct plan *plan,
		const struct timeline *timeline, void (*drained)(void *arg),
		void *arg, struct output **ret, struct err *err);

/* The file descriptors for worker `index`: its standard output and error, to
 * be closed by the caller once it runs. */
int output_attach(struct output *output, unsigned index,
		  const struct process *process, int *ret_out, int *ret_err,
		  struct err *err);

/* All workers have ended: what is still in the pipes is read; a pipe that an
 * orphan holds open is given up after a second. */
void output_finish(struct output *output);

/* The last lines that a worker wrote to stderr, each with its newline, or "";
 * borrowed until the next call. */
const char *output_last_lines(struct output *output, unsigned index);

/* Print lines of the launcher's own, each with its newline, to stderr, where
 * they tear no worker's line. */
void output_say(struct output *output, const char *lines);

/* When `drained` wasn't called this may take 2 s, and the program has to end.
 */
void output_close(struct output *output);

#endif
