/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's end of a command that a script calls instead of horovodrun
 * and its like: a socket in the step's folder, which is the user's alone. The
 * command sends an order (helpers/shim/exec_request.h) with its standard output
 * and error, and waits for the exit code.
 */
#ifndef DT_HELPERS_SHIM_SHIM_SERVER_H
#define DT_HELPERS_SHIM_SHIM_SERVER_H

#include "core/base/err.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>

#define STARTER_SOCKET "starter"

struct starter {
	struct loop *loop; /* NULL: not open */
	/* An order has come; `text` is the callee's. */
	void (*called)(void *arg, char *text, size_t n);
	/* The command has ended before it had its answer, or sent what is no
	 * order. */
	void (*gone)(void *arg);
	void *arg;
	int out, err; /* the command's own, or -1 */
	/* the starter's own */
	struct loop_watch door, caller;
	bool complete;
	char *text;
	size_t n, size;
};

/* Listen in `dir`. Fails when the socket can't be made. */
int starter_open(struct starter *starter, const char *dir, struct err *err);

/* Whether a command waits for its answer. */
bool starter_waits(const struct starter *starter);

/* Let the command end with that code, if it is there. */
void starter_answer(struct starter *starter, int code);

/* Close `out` and `err`: those who have them run. */
void starter_close_output(struct starter *starter);

void starter_close(struct starter *starter);

/* The command's end: send the order to the launcher that listens in `dir`, with
 * standard output and error, and return the exit code that it answers. Fails
 * when there is none, or when it ends first. */
int starter_call(const char *dir, const char *text, size_t n, struct err *err);

#endif
