/* SPDX-License-Identifier: Apache-2.0 */
/* The session of a step that outlives a lost node, inside: for
 * session_recovery.c, centre.c and seek.c. */
#ifndef DT_HELPERS_RECOVERY_RECOVERY_STATE_H
#define DT_HELPERS_RECOVERY_RECOVERY_STATE_H

#include "core/base/cleanup.h"
#include "core/facts/port.h"
#include "core/option/recovery_times.h"
#include "helpers/channel/session_state.h"
#include "helpers/recovery/candidates.h"
#include "helpers/recovery/srun_claim.h"
#include "helpers/roster/roster.h"

enum recovery_role {
	ROLE_MEMBER, /* of a centre, or it hasn't found the first one yet */
	ROLE_SEEKER, /* it has lost the centre */
	ROLE_CENTRE,
	ROLE_ALONE, /* there is no srun to ask: as in a step without recovery */
};

struct recovery {
	struct session *t;
	enum recovery_role is;
	unsigned *node; /* by member, the number of its node */
	const char *srun_ip;
	unsigned srun_port; /* 0: there is no srun to ask */
	struct srun_claim claim;

	/* what is known of the step */
	bool welcomed; /* some centre has let it in */
	unsigned term, round;
	char *places; /* of `round`; NULL: those of the beginning */
	bool done, gathered;
	struct candidates candidates; /* n is 0: nothing is known */

	/* what this launcher has said, for the next centre */
	char ended[64];
	char *piece, *condemned, *stop;
	char *ready; /* MSG_READY of this round */
	size_t npiece;
	bool told, orphan;

	/* this node's processes */
	bool at_rest;	/* the launcher has said MSG_ENDED, and has no new round
			 */
	uint64_t ok_ms; /* the centre lived then, and heard this launcher; 0:
			   there is none yet */
	struct loop_timer beat, fence, leave;

	/* on the search */
	uint64_t lost_ms;  /* when the centre was lost */
	uint64_t since_ms; /* since then it has looked in vain */
	unsigned pass;	   /* over eight addresses */
	bool stale; /* what it knows is older than the lease: others may have a
		       centre by now that it hasn't heard of */
	bool last_resort; /* it claims all the same, and nobody has come yet */
	uint64_t office_ms;

	/* the centre */
	struct roster roster;
	struct arbiter_recovery arbiter;
	struct server_recovery door;
	unsigned *door_port; /* by node; 0: not told */
	struct loop_timer tell, all_here;
};

/* --- session_recovery.c --- */

/* A message of the centre, or of our own server, for the launcher. Of a struct
 * session. */
void recovery_message(void *session, char type, const char *data, size_t n);

/* As client_options: the centre doesn't answer, or is lost. Of a struct
 * session.
 */
void recovery_late(void *session, int why);
void recovery_lost(void *session, int why);

/* Nobody can be the centre any more: leave when all have ended. */
void recovery_give_up(struct session *t);

/* This launcher was the centre, and may not be it any more. */
void recovery_leave_office(struct session *t);

/* --- lost_centre.c --- */

/* Set the timers. */
void lost_begin(struct session *t);

/* Whether the centre may have given this launcher up: the clock decides,
 * whatever has come meanwhile. */
bool lost_is_fenced(const struct session *t);

/* Then, or when the timer says so: end all processes at once, and look for the
 * centre. */
void lost_fence(struct session *t);

void lost_send_beat(struct session *t);
void lost_note_echo(struct session *t, const char *data);

/* Nothing runs here, and the step was told to end: Slurm waits for us. */
void lost_leave_if_over(struct session *t);

/* --- seek.c --- */

/* Look for the centre; what this launcher has to tell is kept for it. Returns
 * 0 or -1 (memory). */
int seek_begin(struct session *t, struct err *err);

/* Whether this launcher is one of those that the last centre has named. */
bool seek_is_candidate(const struct recovery *v);

/* Tell a new centre all that it has to know, through `tell`. */
void seek_tell_again(struct session *t,
		     void (*tell)(struct session *t, char type,
				  const char *data, size_t n));

/* --- witness.c --- */

/* Claim at srun to be the centre. No-op where there is none. */
void centre_claim(struct session *t);

/* When somebody hasn't come in time: whether srun, which this centre can't
 * reach, may have made him the centre. Then the step ends, or, as long as it is
 * tried, `all_here` is set again. */
bool witness_is_missed(struct session *t);

/* --- centre.c --- */

/* Open the door: a server that lets nobody in. Returns 0 or -1. */
int centre_open_door(struct session *t, struct err *err);

/* Be the centre; the first one of the step or the next. Returns 0 or -1. */
int centre_begin(struct session *t, bool takeover, struct err *err);

/* Whether any other launcher has come to it. */
bool centre_has_members(const struct session *t);

/* Tell all who is here: soon, or now. The second one is of a struct session. */
void centre_tell_soon(struct session *t);
void centre_tell(void *session);

/* Not the centre any more. */
void centre_end(struct session *t);

#endif
