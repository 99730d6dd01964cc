/* SPDX-License-Identifier: Apache-2.0 */
/* Where the commands status and top have their rows from: the launchers of a
 * step, over one connection; or a file, for tests and pictures. */
#ifndef DT_HELPERS_CLI_STATUS_STATUS_SOURCE_H
#define DT_HELPERS_CLI_STATUS_STATUS_SOURCE_H

#include "core/base/err.h"
#include "helpers/visit/visitor.h"
#include "sys/loop.h"

struct status_source;

/* Which step is meant, and where it is. All is borrowed. */
struct status_place {
	const char *step; /* "JOB" or "JOB.STEP"; NULL: the user's own */
	struct visit_ports ports;
	const char *file; /* --rows=, or NULL */
};

struct status_source_calls {
	/* Of one launcher; `rows` may be changed. */
	void (*shown)(void *arg, const char *node, char *rows);
	/* A node from which nothing has come (helpers/visit/visitor.h). */
	void (*without)(void *arg, const char *node, bool away);
	/* That was all, and status_source_ask() may be called. With an error
	 * it is the last call. */
	void (*done)(void *arg, const struct err *err);
	/* What is missing in it, for the user. NULL: he isn't told. */
	void (*missing)(void *arg, const char *line);
	void *arg;
};

/* Find the step (blocks as step_find() does), become the job's user, and ask
 * for the first time. With a file that is read at each question: parts that
 * begin with "launcher\tNODE"; a file that isn't there any more is a step that
 * has ended. NULL on failure. */
struct status_source *
status_source_open(const struct status_place *place, struct loop *loop,
		   const struct status_source_calls *calls, struct err *err);

void status_source_ask(struct status_source *source);

/* The connection is lost, in `done`: find the step again, and ask. Not in
 * `done`. Returns 0, or -1: it has ended, or can't be found. */
int status_source_again(struct status_source *source, struct err *err);

/* "4711.0", of the job "4711" as Slurm names it. */
const char *status_source_step(const struct status_source *source);

/* NULL is allowed. */
void status_source_close(struct status_source *source);

#endif
