/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launchers of a step as one: whoever uses it talks to the referee and
 * needn't know where that is. Task 0's launcher keeps it; the others connect
 * to that. A launcher that has no secret, or that lost the hub, has a referee
 * of its own.
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

struct team;

struct team_options {
	struct loop *loop;
	const struct plan *plan;
	const struct config *config;
	bool needs_go; /* the step can't start before everybody is ready */
	/* A message of the referee. MSG_LEAVE is the last. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* Lines for the user, each with its newline. */
	void (*say)(void *arg, const char *lines);
	void *arg;
};

/* Reads the hand-over from this process's environment (the secret's pipe is
 * closed). NULL on failure. */
struct team *team_open(const struct team_options *options, struct err *err);

/* Whether other launchers of the step are out of reach by design; then `why`
 * says for what reason. */
bool team_is_split(const struct team *team, const char **ret_why);

/* A word that nobody outside of the step can guess, the same in all of its
 * launchers: made of the step's secret and `purpose`. Fails where the team is
 * split. */
int team_secret(const struct team *team, const char *purpose,
		char ret[SECURE_WORD_SIZE], struct err *err);

/* Tell the referee. */
void team_send(struct team *team, char type, const char *data, size_t n);

/* The whole step was told to end: a hub that hasn't answered yet, and may never
 * have been opened, isn't waited for once this launcher's processes are gone.
 */
void team_told_to_end(struct team *team);

void team_close(struct team *team);

#endif
