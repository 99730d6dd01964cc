/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every part and phase of the launcher may do: tell the user, tell the
 * step, and end it.
 */
#pragma once

#include "helpers/conn/message.h"

struct launch;

/* Print lines of our own, each with its newline; they tear none of a worker. */
void launch_say(struct launch *l, const char *lines);

/* A message of text to the arbiter. */
void launch_send(struct launch *l, enum message type, const char *text);

/* End the whole step after `after_s` seconds, with that exit code and one line
 * that says why ("": nothing is said). */
void launch_stop(struct launch *l, int code, long after_s, const char *why);

/* The same for a fault of this launcher: now, with EXIT_FAILURE. */
void launch_fail(struct launch *l, const char *why);

/* Why launchers of this step can't meet, or NULL when they can. */
const char *launch_no_channel(const struct launch *l);

/* The end, with that exit code, when what processes have written is out. */
void launch_leave(struct launch *l, int code);
