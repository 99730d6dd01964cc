/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at a step, one after the other, for the commands status and top: what
 * its launchers tell over one connection; or a file, for tests and pictures. */
#pragma once

#include "core/base/err.h"
#include "helpers/cli/status/step_view.h"
#include "helpers/visit/visitor.h"
#include "sys/loop.h"

struct looks;

/* Which step is meant, and where it is. All is borrowed. */
struct looks_place {
	const char *step; /* "JOB" or "JOB.STEP"; NULL: the user's own */
	struct visit_ports ports;
	const char *file; /* --rows=, or NULL */
};

struct looks_calls {
	/* A look is complete, and looks_ask() may be called. With an error it
	 * is none, and the last call. */
	void (*done)(void *arg, const struct err *err);
	/* What is missing in it, for the user. NULL: he isn't told. */
	void (*missing)(void *arg, const char *line);
	void *arg;
};

/* Find the step (blocks as step_find() does), become the job's user, and ask
 * for the first time. With a file that is read at each question: parts that
 * begin with "launcher\tNODE"; a file that isn't there any more is a step that
 * has ended. NULL on failure. */
struct looks *looks_open(const struct looks_place *place, struct loop *loop,
			 const struct looks_calls *calls, struct err *err);

void looks_ask(struct looks *looks);

/* The connection is lost, in `done`: find the step again, and ask. Not in
 * `done`. Returns 0, or -1: it has ended, or can't be found. */
int looks_again(struct looks *looks, struct err *err);

/* The last one that was complete, compared with the one before. */
const struct step_view *looks_view(const struct looks *looks);

/* "4711.0", of the job "4711" as Slurm names it. */
const char *looks_step(const struct looks *looks);

/* NULL is allowed. */
void looks_close(struct looks *looks);

/* How a step's state is printed once. */
struct status_form {
	bool all; /* a line for each rank, however many there are */
	bool json, prometheus;
	const char *output; /* the file; NULL: standard output */
};

/* Ask the step twice, for there are rates, and print. Returns 0 or -1. */
int status_print_once(const struct looks_place *place,
		      const struct status_form *form, struct err *err);
