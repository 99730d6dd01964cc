/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The channel between the launchers of a step, as one of them sees it. Whoever
 * uses it talks to the step's arbiter and needn't know where that is.
 *
 * The step's controller, beside srun, has the server, and in it the arbiter;
 * the launchers connect to it as clients (session_server.c, session_client.c).
 * Where srun has started none, it is on the node of task 0, whose launcher
 * starts it (session_step.h), or has the server itself. All run as the job's
 * user. A connection is sealed with a secret of the step that the plugin has
 * handed over, so only launchers of this step can talk.
 *
 * A launcher that has no secret has a server of its own with an arbiter for it
 * alone: then launchers can't meet. The same for one that has lost task 0: it
 * ends its processes by that.
 *
 * The session decides nothing, starts nothing and prints nothing; what it has
 * to say goes through the callbacks of its options.
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_H
#define DT_HELPERS_CHANNEL_SESSION_H

#include "core/base/err.h"
#include "helpers/channel/session_options.h"
#include "helpers/conn/message.h"
#include "helpers/conn/seal.h"
#include "helpers/gather/gather.h"

struct session;

/* Reads the hand-over from this process's environment (the secret's pipe is
 * closed). NULL on failure. */
struct session *session_open(const struct session_options *options,
			     struct err *err);

/* Whether other launchers of the step are out of reach by design; then `why`
 * says for what reason. */
bool session_no_channel(const struct session *session, const char **ret_why);

/* A word that can't be guessed outside of the step, and is the same in all of
 * its launchers: made of the step's secret and `purpose`. Fails where the
 * launchers can't reach each other. */
int session_secret(const struct session *session, const char *purpose,
		   char ret[SEAL_WORD_SIZE], struct err *err);

/* Tell the arbiter; n bytes and a NUL. */
void session_send(struct session *session, char type, const char *data,
		  size_t n);

/* The step's one exchange: tell all this launcher's piece. When all launchers
 * have told theirs, everybody gets MSG_GATHERED (gather_parse()). Returns 0, or
 * -1 when out of memory. */
int session_gather(struct session *session, const struct gather_piece *piece);

/* The server that is in this process: the step's, or a launcher's for itself
 * alone. NULL: it has none. */
struct server *session_server(const struct session *session);

/* The whole step was told to end: launchers that haven't connected yet, and may
 * never have been started, aren't waited for once this launcher's processes are
 * gone. */
void session_told_to_end(struct session *session);

/* Where the arbiter is: Slurm has sent SIGTERM to some launcher of the step;
 * and how the step ends, OUTCOME_SIGNALLED and so on (core/facts/handover.h),
 * in addition to what was said before and to what the step's exit code says in
 * the end. srun is told at once, and again with its last word. Where the
 * arbiter isn't, they are kept, for it may come. */
void session_told_by_slurm(struct session *session);
void session_outcome(struct session *session, unsigned bits);

void session_close(struct session *session);

#endif
