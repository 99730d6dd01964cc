/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The referee inside: what it knows, and what messages do to that. For
 * referee.c, which decides, and referee_hear.c, which reads messages.
 */
#ifndef DT_HELPERS_CHANNEL_ARBITER_STATE_H
#define DT_HELPERS_CHANNEL_ARBITER_STATE_H

#include "helpers/channel/arbiter.h"
#include "helpers/channel/arbiter_lines.h"
#include "helpers/channel/start_barrier.h"

#include <stdint.h>

struct referee_member {
	unsigned ready; /* how often */
	bool idle, ended, gone;
};

struct referee_failure {
	unsigned member;
	unsigned long long at_ms; /* on this node's clock */
	int code;
	bool quiet;
	char line[REFEREE_LINE_SIZE]; /* to say; "": the member reports */
};

struct referee {
	struct referee_options o;
	struct referee_member *member;
	struct collect *facts;
	struct barrier ready; /* for MSG_GO */
	char go[64];	      /* the first one's text; "": without address */
	unsigned nidle, nended, ngone;
	unsigned long nkilled; /* processes that were ended for the others */
	bool failing, decided, restarting, done, over;
	enum referee_loss loss;
	uint64_t all_here_ms; /* until then members may come */
	struct referee_failure first;
	struct loop_timer window, deadline, early;
	char early_line[REFEREE_LINE_SIZE];
};

/* A message of text, to one or to REFEREE_ALL. */
void referee_tell(struct referee *referee, unsigned member, char type,
		  const char *text);

/* It may be the first one, and ends the step in any case. A loss or a stop,
 * which have a line, call a restart off: none survives it. */
void referee_note_failure(struct referee *referee,
			  const struct referee_failure *failure);

/* All of the member's processes have ended, or only services run there. */
void referee_note_ended(struct referee *referee, unsigned member);
void referee_note_idle(struct referee *referee, unsigned member);

/* After one of these: is that so for all? Services are then ended; the next
 * round begins, or everybody leaves. */
void referee_check_idle(struct referee *referee);
void referee_check_ended(struct referee *referee);

/* Others still run when an exit of 0 is that long ago. */
void referee_too_early(void *referee);

#endif
