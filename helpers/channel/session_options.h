/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/option/config.h"
#include "core/plan/plan.h"
#include "helpers/conn/step_secret.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdbool.h>
#include <stddef.h>

/* All are borrowed until session_close(). */
struct session_options {
	struct loop *loop;
	const struct plan *plan; /* of the step's world */
	/* The facts of Slurm's step, with all its members; NULL: those of the
	 * plan, which are the same in steps without recovery. */
	const struct job *job;
	const struct config *config;
	/* NULL, or not there: the secret is handed over */
	const struct met_secret *met;
	/* Of task 0's launcher: start the controller, with that port, and the
	 * secret on its standard input; its standard output ends with it.
	 * Returns 0 or -1. */
	int (*start)(void *arg, int listen_fd, struct subprocess *ret,
		     struct err *err);
	/* Of task 0's launcher: its facts for a controller beside srun, for the
	 * session to free; NULL: out of memory. */
	char *(*facts)(void *arg, size_t *ret_n);
	bool needs_go; /* the step can't start before everybody is ready */
	/* The step outlives a lost node (doc/design/helpers-server.md). The
	 * launcher then gets each later round by MSG_ROUND, and must know
	 * MSG_FENCE. */
	bool recovery;
	/* A message of the controller. MSG_LEAVE is the last. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* Whether a failure may have to be told in a moment: the controller,
	 * which asks all before it judges one, waits for it. NULL: never. */
	bool (*in_doubt)(void *arg);
	/* The secret came, which session_knows_secret() didn't know before;
	 * NULL: it isn't told. */
	void (*known)(void *arg);
	/* Lines for the user, each with its newline. */
	void (*say)(void *arg, const char *lines);
	void *arg;
};
