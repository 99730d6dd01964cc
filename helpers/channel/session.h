/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launchers of a step as one: whoever uses it talks to the arbiter and
 * needn't know where that is. Task 0's launcher keeps it; the others connect
 * to that. A launcher that has no secret, or that lost the server, has a
 * arbiter of its own.
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_H
#define DT_HELPERS_CHANNEL_SESSION_H

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "helpers/channel/message.h"
#include "helpers/channel/seal.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>

struct session;

struct session_options {
	struct loop *loop;
	const struct plan *plan;
	const struct config *config;
	bool needs_go; /* the step can't start before everybody is ready */
	/* A message of the arbiter. MSG_LEAVE is the last. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* Lines for the user, each with its newline. */
	void (*say)(void *arg, const char *lines);
	void *arg;
};

/* Reads the hand-over from this process's environment (the secret's pipe is
 * closed). NULL on failure. */
struct session *session_open(const struct session_options *options,
			     struct err *err);

/* Whether other launchers of the step are out of reach by design; then `why`
 * says for what reason. */
bool session_no_channel(const struct session *session, const char **ret_why);

/* A word that nobody outside of the step can guess, the same in all of its
 * launchers: made of the step's secret and `purpose`. Fails where the session
 * is split. */
int session_secret(const struct session *session, const char *purpose,
		   char ret[SEAL_WORD_SIZE], struct err *err);

/* Tell the arbiter. */
void session_send(struct session *session, char type, const char *data,
		  size_t n);

/* The whole step was told to end: a server that hasn't answered yet, and may
 * never have been opened, isn't waited for once this launcher's processes are
 * gone.
 */
void session_told_to_end(struct session *session);

void session_close(struct session *session);

#endif
