/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the arbiter says to the user, each as one line with its newline. The
 * text is in ret, which is returned where that is handy.
 */
#ifndef DT_HELPERS_CHANNEL_ARBITER_LINES_H
#define DT_HELPERS_CHANNEL_ARBITER_LINES_H

#include <stdbool.h>

#define ARBITER_LINE_SIZE 1024

#define LINE_TOO_MUCH                                                          \
	"dist-train: the facts of all tasks are too much for this node's "     \
	"memory\n"

/* So many processes were ended because of a failure. */
const char *line_killed(char ret[ARBITER_LINE_SIZE], unsigned long n);

/* The n-th restart of at most `max`, after a pause. */
const char *line_restart(char ret[ARBITER_LINE_SIZE], unsigned n, unsigned max,
			 unsigned pause_ms);

/* A failure isn't followed by a restart, because the launchers of so many of n
 * tasks haven't come. */
const char *line_no_restart(char ret[ARBITER_LINE_SIZE], unsigned nabsent,
			    unsigned n);

/* The member on `who` can't be reached: its node, or only its launcher. `rank`
 * is "first failure", or what that means else. */
void line_lost(char ret[ARBITER_LINE_SIZE], bool node, unsigned member,
	       const char *who, long lease_s, const char *rank);

/* `who` has ended with 0 too early. */
void line_early(char ret[ARBITER_LINE_SIZE], const char *who, long grace_s);

/* A reason as a member gives it; "" without one. */
const char *line_stop(char ret[ARBITER_LINE_SIZE], const char *reason);

#endif
