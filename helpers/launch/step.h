/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every phase of the launcher may do: tell the user, tell the step, and
 * make the plan again.
 */
#ifndef DT_HELPERS_LAUNCH_STEP_H
#define DT_HELPERS_LAUNCH_STEP_H

#include "core/base/err.h"
#include "helpers/conn/message.h"

#include <stddef.h>

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

/* The session has got the step's secret (await_secret.c). */
void launch_knows_secret(struct launch *l);

/* The end, with that exit code, when what processes have written is out. */
void launch_leave(struct launch *l, int code);

/* Standard input for the processes of the plan: each gets all of it from the
 * beginning, as far as that is possible. Returns 0 or -1. */
int launch_input(struct launch *l, struct err *err);

/* How many processes there may be: those of the plan, the service and the
 * script; and those of the node's other tasks, which come last. */
unsigned launch_count_procs(const struct launch *l);

/* Make the plan with what has become known since. Returns 0 or -1. */
int launch_plan_again(struct launch *l, struct err *err);

/* Where torch may leave an exception of that rank of this node; "" where it may
 * not. */
void launch_error_file(const struct launch *l, unsigned rank, char *buf,
		       size_t size);

#endif
