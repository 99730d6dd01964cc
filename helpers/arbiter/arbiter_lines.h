/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the arbiter says to the user, each as one line with its newline. The
 * text is in ret, which is returned where that is handy.
 */
#ifndef DT_HELPERS_ARBITER_ARBITER_LINES_H
#define DT_HELPERS_ARBITER_ARBITER_LINES_H

#include <stdbool.h>

#define ARBITER_LINE_SIZE 1024

#define LINE_TOO_MUCH                                                          \
	"dist-train: the facts of all tasks are too much for this node's "     \
	"memory\n"
#define LINE_SRUN_GONE "dist-train: srun has ended\n"

/* Whether a connection that ended with this errno has ended because nothing
 * came from the other host; else the program there has closed it. */
bool lost_by_silence(int why);

/* The connection to the member on node `who` has ended with the errno `why`, or
 * 0. `member` is its task's number, or MEMBER_NONE where it is its node's only
 * one; nothing has come from there for `silent_s`. `rank` is
 * " (first failure)", or what that means else. */
void line_lost(char ret[ARBITER_LINE_SIZE], int why, unsigned member,
	       const char *who, long silent_s, const char *rank);

struct line_server {
	const char *node; /* this one */
	const char *ip;	  /* at which it has looked for the server */
	unsigned port;	  /* the first one */
	long after_s;
	int why; /* an errno */
};

/* The server hasn't answered in time. */
void line_unreachable(char ret[ARBITER_LINE_SIZE],
		      const struct line_server *server);

#endif
