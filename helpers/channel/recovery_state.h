/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher of a step that outlives a lost node, inside: for
 * session_recovery.c and lost_controller.c. */
#ifndef DT_HELPERS_CHANNEL_RECOVERY_STATE_H
#define DT_HELPERS_CHANNEL_RECOVERY_STATE_H

#include "core/option/ladder.h"
#include "helpers/channel/session_state.h"

struct recovery {
	bool seeks;	/* it has lost the controller, and looks for it */
	bool welcomed;	/* the controller has let it in, once */
	bool gathered;	/* it has had MSG_GATHERED */
	unsigned round; /* the last one that it was told of */

	/* what it has said, for a controller that it has lost and found again:
	 * nobody knows what of it has come */
	char ended[64];
	char *piece, *condemned, *stop;
	char *ready; /* MSG_READY of this round */
	size_t npiece;
	bool told, orphan;

	/* this node's processes */
	bool at_rest;	/* the launcher has said MSG_ENDED, and has no new round
			 */
	uint64_t ok_ms; /* the controller lived then, and heard this launcher;
			   0: it hasn't yet */
	uint64_t lost_ms; /* when it was lost */
	struct loop_timer beat, fence;

	/* what the controller says, of a struct session */
	void (*message)(void *session, char type, const char *data, size_t n);
};

/* --- lost_controller.c --- */

/* Set the timers. */
void lost_begin(struct session *t);

/* Look for the controller, which is told all that it has to know. Returns 0 or
 * -1 (memory). */
int lost_seek(struct session *t, struct err *err);

/* Whether the controller may have given this launcher up: the clock decides,
 * whatever has come meanwhile. */
bool lost_is_fenced(const struct session *t);

/* Then, or when the timer says so: end all processes at once, and look for the
 * controller. */
void lost_fence(struct session *t);

void lost_send_beat(struct session *t);
void lost_note_echo(struct session *t, const char *data);

/* Nothing runs here, and the step was told to end: Slurm waits for us. */
void lost_leave_if_over(struct session *t);

#endif
