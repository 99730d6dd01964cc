/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the session of task 0's launcher that starts the controller
 * (helpers/step/dist-train-step.c) on its node: the port is bound here, so that
 * whoever comes early waits and isn't refused, and given to that program; then
 * this launcher is a client as all others. Where the program can't be started,
 * or has ended before it let this launcher in, the step fails; a step of one
 * launcher does without, where no key needs it.
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_STEP_H
#define DT_HELPERS_CHANNEL_SESSION_STEP_H

#include "core/base/err.h"

struct session;

/* A client that is there already looks for it at session_port(). Returns 0 or
 * -1. */
int session_begin_step(struct session *session, struct err *err);

/* Say why the step can't have a controller, and end this launcher, and with it
 * the step. */
void session_step_fail(struct session *session, const struct err *err);

void session_step_close(struct session *session);

#endif
