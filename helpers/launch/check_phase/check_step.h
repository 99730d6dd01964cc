/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of all nodes of the step, in the launcher where the arbiter is:
 * between the session and helpers/check/check_centre.h.
 */
#ifndef DT_HELPERS_LAUNCH_CHECK_PHASE_CHECK_STEP_H
#define DT_HELPERS_LAUNCH_CHECK_PHASE_CHECK_STEP_H

struct launch;

/* What a member has told: "ROUND PLACE TEXT". The first one of a round begins
 * the check of that round. */
void check_step_hear(struct launch *l, unsigned member, const char *text);

/* The round is over. The check may be what ends it: it stays until the next
 * one. */
void check_step_leave(struct launch *l);
void check_step_end(struct launch *l);

#endif
