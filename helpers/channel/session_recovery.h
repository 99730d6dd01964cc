/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the session of a step that outlives a lost node
 * (doc/design/helpers-server.md): what a launcher says and is told. What it
 * does when it has lost the controller is in lost_controller.c. session.c calls
 * these functions where the session's options say `recovery`.
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_RECOVERY_H
#define DT_HELPERS_CHANNEL_SESSION_RECOVERY_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct session;

/* A launcher joins the step. Fails where srun has started no controller, or the
 * launchers can't meet. */
int recovery_open(struct session *session, struct err *err);

/* Whether the functions below are to be called in place of the usual ones. */
bool session_recovers(const struct session *session);

/* As session_send() and session_told_to_end(). */
void recovery_send(struct session *session, char type, const char *data,
		   size_t n);
void recovery_told_to_end(struct session *session);

/* Before the rest of the session. */
void recovery_close(struct session *session);

#endif
