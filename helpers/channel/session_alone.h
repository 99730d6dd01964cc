/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the session that decides for this launcher alone, as the step's
 * controller would: where the launchers can't reach each other, where the
 * controller is lost or has never answered, and for a step of one launcher that
 * can't start one. A failure, or a reason to stop, ends this launcher's
 * processes; nothing starts again, and nobody else hears of it.
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_ALONE_H
#define DT_HELPERS_CHANNEL_SESSION_ALONE_H

#include "core/base/err.h"

#include <stddef.h>

struct session;

/* From the begin. Fails where a key needs the controller, and says `why` there
 * is none. Returns 0 or -1. */
int session_alone_open(struct session *session, const char *why,
		       struct err *err);

/* From now on. */
void session_alone_begin(struct session *session);

/* As session_send(). */
void session_alone_send(struct session *session, char type, const char *data,
			size_t n);

/* End all for a reason outside of this launcher, said in `line` ("": nothing is
 * said), with that exit code, after `after_s`. */
void session_alone_stop(struct session *session, const char *line, int code,
			long after_s);

void session_alone_close(struct session *session);

#endif
