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
#pragma once

#include "core/base/err.h"
#include "helpers/channel/session_options.h"
#include "helpers/conn/message.h"
#include "helpers/conn/seal.h"
#include "helpers/conn/secure_conn.h"
#include "helpers/gather/gather.h"

struct session;

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
