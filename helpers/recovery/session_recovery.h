/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the channel of a step that outlives a lost node
 * (doc/design/0080-lost-nodes.md, 0084-moving-centre.md).
 *
 *	session_recovery	a launcher: member, on the search, or centre
 *	seek			where the centre may be
 *	centre			what the centre tells and is told
 *	witness			what follows from srun's answer, or from none
 *	candidates		a text of theirs
 *	srun_claim		who is the centre: srun decides
 *	server_office		the server as a door, and who gives no sign of
 *				life
 *	arbiter_recovery	rounds, losses and places
 *
 * helpers/channel has the same for all steps, and calls these functions where
 * the session's options say `recovery`.
 */
#ifndef DT_HELPERS_RECOVERY_SESSION_RECOVERY_H
#define DT_HELPERS_RECOVERY_SESSION_RECOVERY_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct session;

/* Instead of joining the step as in others. Fails where the launchers can't
 * meet, or the addresses of the nodes aren't known. */
int recovery_open(struct session *session, struct err *err);

/* The same for the step's controller, which is no launcher and never moves. */
int recovery_be_server(struct session *session, struct err *err);

/* Whether the functions below are to be called in place of the usual ones. */
bool session_recovers(const struct session *session);

/* As session_send() and session_told_to_end(). */
void recovery_send(struct session *session, char type, const char *data,
		   size_t n);
void recovery_told_to_end(struct session *session);

/* Before the rest of the session. */
void recovery_close(struct session *session);

#endif
