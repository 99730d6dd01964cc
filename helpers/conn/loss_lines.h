/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said and done when a launcher, or the step's controller, is lost: by
 * the arbiter, and by launchers. Each line is for the user, and has its
 * newline.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#define LOSS_LINE_SIZE 1024

/* So long a launcher that is gone, not silent, isn't blamed: when Slurm kills
 * the whole step, its SIGKILL comes from slurmctld to each node by itself, a
 * second later to a busy one. Whoever would blame is dead by then. */
#define KILL_SPREAD_MS 1500

/* So long after Ctrl-C has come to the whole step such a launcher isn't blamed
 * either: SIGKILL follows, at most KillWait later. Not so after SIGTERM, which
 * is also what Slurm ends the others by when a launcher has ended. */
#define INTERRUPTED_MS 30000

/* The exit code of a step that has lost srun or its controller: as of SIGKILL.
 */
#define GONE_CODE (128 + SIGKILL)

/* What is said of a world has its name, as its reports have: each line of ours
 * with that before it, for the caller to free. NULL where it is no world, or
 * memory is out. */
char *lines_of_world(const char *lines, const char *world);

/* Whether a connection that ended with this errno has ended because nothing
 * came from the other host; else the program there has closed it. */
bool lost_by_silence(int why);

/* The connection to the member on node `who` has ended with the errno `why`, or
 * 0. `member` is its task's number, or MEMBER_NONE where it is its node's only
 * one; nothing has come from there for `silent_s`. `rank` is
 * " (first failure)", or what that means else. */
void line_lost(char ret[LOSS_LINE_SIZE], int why, unsigned member,
	       const char *who, long silent_s, const char *rank);

struct line_server {
	const char *node; /* this one */
	const char *ip;	  /* at which it has looked for the server */
	unsigned port;	  /* the first one */
	long after_s;
	int why; /* an errno */
};

/* The server hasn't answered in time. */
void line_unreachable(char ret[LOSS_LINE_SIZE],
		      const struct line_server *server);
