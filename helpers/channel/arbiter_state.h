/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arbiter inside: what it knows, and what messages do to that. For
 * arbiter.c, which decides, and arbiter_events.c, which reads messages.
 */
#ifndef DT_HELPERS_CHANNEL_ARBITER_STATE_H
#define DT_HELPERS_CHANNEL_ARBITER_STATE_H

#include "helpers/channel/arbiter.h"
#include "helpers/channel/arbiter_lines.h"
#include "helpers/channel/restart_pause.h"
#include "helpers/channel/start_barrier.h"

#include <stdint.h>

struct arbiter_member {
	unsigned ready; /* how often */
	bool idle, ended, gone;
};

struct arbiter_failure {
	unsigned member;
	unsigned long long at_ms; /* on this node's clock */
	int code;
	bool step_signalled;
	bool lost; /* the connection to the member's launcher */
	char line[ARBITER_LINE_SIZE]; /* to say; "": the member reports */
};

struct arbiter {
	struct arbiter_options o;
	struct arbiter_member *member;
	struct barrier ready; /* for MSG_GO */
	char go[64];	      /* the first one's text; "": without address */
	unsigned nidle, nended, ngone;
	unsigned long nkilled; /* processes that were ended for the others */
	bool failing, decided, restarting, done, over;
	bool no_more;  /* who isn't here isn't waited for */
	bool deciding; /* who has ended meanwhile is looked at afterwards */
	enum arbiter_loss loss;
	struct arbiter_failure first;
	struct loop_timer window, deadline, early;
	struct loop_timer pause; /* all have ended, and begin again */
	struct restart_pause pauses;
	char early_line[ARBITER_LINE_SIZE];
};

/* A message of text, to one or to ARBITER_ALL. */
void arbiter_tell(struct arbiter *arbiter, unsigned member, char type,
		  const char *text);

/* It may be the first one, and ends the step in any case. A loss or a stop,
 * which have a line, call a restart off: none survives it. */
void arbiter_note_failure(struct arbiter *arbiter,
			  const struct arbiter_failure *failure);

/* The whole step was told to end, by a signal: a restart that has been decided
 * is called off. */
void arbiter_told_to_end(struct arbiter *arbiter);

/* All of the member's processes have ended, or only services run there. */
void arbiter_note_ended(struct arbiter *arbiter, unsigned member);
void arbiter_note_idle(struct arbiter *arbiter, unsigned member);

/* After one of these: is that so for all? Services are then ended; the next
 * round begins, or everybody leaves. */
void arbiter_check_idle(struct arbiter *arbiter);
void arbiter_check_ended(struct arbiter *arbiter);

/* Others still run when an exit of 0 is that long ago. */
void arbiter_too_early(void *arbiter);

#endif
