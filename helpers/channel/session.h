/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The channel between the launchers of a step, as one of them sees it: a client
 * of the step's controller, which has the server (helpers/server) and the
 * arbiter. The controller is beside srun (session_state.h), or where that has
 * started none, or task 0's launcher can't reach it, on the node of task 0,
 * whose launcher starts it (session_state.h). All run as the job's user. A
 * connection is sealed with a secret of the step that the plugin has handed
 * over, so only launchers of this step can talk.
 *
 * A launcher that can't come to a controller, or has lost it, decides for
 * itself (session_state.h).
 *
 * The session starts nothing and prints nothing; what it has to say goes
 * through the callbacks of its options.
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_H
#define DT_HELPERS_CHANNEL_SESSION_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/plan/plan.h"
#include "helpers/conn/message.h"
#include "helpers/conn/seal.h"
#include "helpers/conn/secure_conn.h"
#include "helpers/conn/step_secret.h"
#include "helpers/gather/gather.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdbool.h>
#include <stddef.h>

struct session;

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

/* Reads the hand-over from this process's environment (the secret's pipe is
 * closed). NULL on failure. */
struct session *session_open(const struct session_options *options,
			     struct err *err);

/* Whether other launchers of the step are out of reach by design; then `why`
 * says for what reason. */
bool session_no_channel(const struct session *session, const char **ret_why);

/* Whether the step's secret is there; else session_options.known() tells. */
bool session_knows_secret(const struct session *session);

/* A word that can't be guessed outside of the step, and is the same in all of
 * its launchers: made of the step's secret and `purpose`. Fails where the
 * launchers can't reach each other. */
int session_secret(const struct session *session, const char *purpose,
		   char ret[SEAL_WORD_SIZE], struct err *err);

/* What a connection between two launchers is sealed with, when the secret is
 * known; borrowed. Its id and port are the session's own. */
const struct secure_conn_step *session_sealing(const struct session *session);

/* Tell the controller; n bytes and a NUL. */
void session_send(struct session *session, char type, const char *data,
		  size_t n);

/* The step's one exchange: tell all this launcher's piece. When all launchers
 * have told theirs, everybody gets MSG_GATHERED (gather_parse()). Returns 0, or
 * -1 when out of memory. */
int session_gather(struct session *session, const struct gather_piece *piece);

/* The whole step was told to end: a controller that hasn't answered yet, and
 * may never have been started, isn't waited for once this launcher's processes
 * are gone. */
void session_told_to_end(struct session *session);

void session_close(struct session *session);

#endif
