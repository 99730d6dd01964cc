/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arbiter inside: what it knows, and what messages do to that. For
 * arbiter.c, which has the step and its end, arbiter_group.c, which decides for
 * one group, and arbiter_events.c, which reads messages.
 */
#ifndef DT_HELPERS_CHANNEL_ARBITER_STATE_H
#define DT_HELPERS_CHANNEL_ARBITER_STATE_H

#include "helpers/channel/arbiter.h"
#include "helpers/channel/arbiter_lines.h"
#include "helpers/channel/restart_pause.h"
#include "helpers/channel/start_barrier.h"
#include "helpers/roster/roster.h"

#include <stdint.h>

#define LEAVE_S 3 /* beyond the last SIGKILL, for the silent */
#define END_MS	((KILL_AFTER_S + LEAVE_S) * 1000UL) /* after SIGTERM */

struct arbiter_group;

struct arbiter_member {
	struct arbiter_group *group;
	unsigned ready; /* how often */
	bool idle, ended, gone;
	/* With recovery: */
	bool placed;	/* its node has a place in this round */
	bool known;	/* it has told its MSG_STATE */
	bool joining;	/* it has come back, and ends what it had before */
	bool untold;	/* it was lost without a place, and nobody knows */
	unsigned round; /* that it was told last */
};

struct arbiter_failure {
	unsigned member;
	unsigned long long at_ms; /* on this node's clock */
	int code;
	bool step_signalled;
	bool not_started; /* its program couldn't be executed */
	bool lost;	  /* the connection to the member's launcher */
	bool gone;	  /* the same, and not by silence */
	char line[ARBITER_LINE_SIZE]; /* to say; "": the member reports */
};

/* Members that fail and start again together, with a round of their own: all
 * of the step, or one of its groups. */
struct arbiter_group {
	struct arbiter *arbiter;
	unsigned number;
	unsigned n; /* members */
	unsigned round;
	unsigned nidle, nended, ngone;
	bool failing, decided, restarting, done;
	bool deciding; /* who has ended meanwhile is looked at afterwards */
	bool given_up; /* it never starts again, and others go on */
	bool over;     /* nothing of it runs, or will */
	struct arbiter_failure first;
	struct loop_timer window, deadline, early;
	struct loop_timer pause; /* all have ended, and begin again */
	struct restart_pause pauses;
	char early_line[ARBITER_LINE_SIZE];
	/* With recovery: */
	bool stopped;	/* for a reason from outside: nothing follows */
	bool replacing; /* the round ends because of a loss */
	bool counted;	/* it ends by a restart that counts */
	bool finished;	/* a centre before has said MSG_DONE */
	unsigned nrestarts;
	uint64_t asked_ms; /* when all were asked for a sign of life */
	enum roster_answer fate;
	char why[192]; /* there is no restart for this exit code */
};

struct arbiter {
	struct arbiter_options o;
	struct arbiter_member *member;
	struct arbiter_group *group;
	unsigned ngroups;
	struct barrier ready;  /* for MSG_GO */
	char go[64];	       /* the first one's text; "": without address */
	unsigned long nkilled; /* processes that were ended for the others */
	bool no_more;	       /* who isn't here isn't waited for */
	bool over;
	/* With groups: */
	bool closing; /* everything ends, services too; then all leave */
	const struct arbiter_failure *failed; /* why; NULL: all is well */
	struct loop_timer close_by;
	struct loop_timer spares_lost; /* with recovery */
	enum arbiter_loss loss;
	uint64_t interrupted_ms; /* when Ctrl-C came; 0: never */
};

/* It was Slurm that has ended it: nobody is blamed. */
static inline void arbiter_failure_excuse(struct arbiter_failure *f)
{
	f->step_signalled = true;
	*f->line = '\0';
}

/* A message of text, to one or to ARBITER_ALL. */
void arbiter_tell(struct arbiter *arbiter, unsigned member, char type,
		  const char *text);

/* Everybody leaves now. */
void arbiter_leave(struct arbiter *arbiter);

/* How many of the group's members haven't come. */
unsigned arbiter_count_absent(const struct arbiter_group *group);

/* --- with groups: the step --- */

static inline bool arbiter_has_groups(const struct arbiter *arbiter)
{
	return arbiter->o.ngroups;
}

/* The step fails as this group's first failure says: whatever runs is ended
 * after `after_s`, services too, and nothing starts any more. */
void arbiter_close_failed(struct arbiter_group *group, long after_s);

/* The group is at rest for good. When all are, services end, and all leave. */
void arbiter_group_is_over(struct arbiter_group *group);

/* While everything ends: leave when all have ended. */
void arbiter_check_closing(struct arbiter *arbiter);

/* How many groups run, or have ended well. */
unsigned arbiter_count_able(const struct arbiter *arbiter);

/* --- one group --- */

/* Numbers and timers; its members are set. */
void group_begin(struct arbiter_group *group);

void group_disarm(struct arbiter_group *group);

/* A message to all of its members. */
void group_tell(struct arbiter_group *group, char type, const char *text);

/* It may be the first one, and ends the group's round in any case. A loss or a
 * stop, which have a line, call a restart off: none survives it. */
void group_note_failure(struct arbiter_group *group,
			const struct arbiter_failure *failure);

/* No round follows, if one was to. In the pause nobody is left to be waited
 * for. */
void group_call_restart_off(struct arbiter_group *group,
			    const struct arbiter_failure *failure);

/* What is known of the first failure is enough. Of a struct arbiter_group. */
void group_decide(void *group);

/* All of the member's processes have ended, or only services run there. */
void group_note_ended(struct arbiter *arbiter, unsigned member);
void group_note_idle(struct arbiter *arbiter, unsigned member);

/* After one of these: is that so for all? Services are then ended; the next
 * round begins, or the group's part is over. */
void group_check_idle(struct arbiter_group *group);
void group_check_ended(struct arbiter_group *group);

/* The time in which members may come is over. */
void group_wait_no_more(struct arbiter_group *group);

/* The next round has a number, and nothing has happened in it. */
void group_reset(struct arbiter_group *group);

/* What the user reads about the first failure. For `nabsent` members that
 * haven't come there is no restart; else `why` says why there is none. */
void group_tell_first_failure(struct arbiter_group *group, unsigned nabsent,
			      const char *why);

/* Tell who keeps the record of the first failure. */
void group_note_first(const struct arbiter_group *group);

/* Why the key restarts doesn't give another one after so many, or NULL. */
const char *group_why_not(struct arbiter_group *group, unsigned used);

/* Who is missing would have no part in the restart. */
void group_give_restart_up(struct arbiter_group *group, unsigned nabsent);

/* No round follows; what becomes of the other groups (arbiter_down.c). */
void group_stay_down(struct arbiter_group *group, const char *why);
bool group_give_up(struct arbiter_group *group);
void group_say_down(struct arbiter_group *group, const char *why);

/* --- with recovery (arbiter_recovery.c) --- */

static inline bool arbiter_recovers(const struct arbiter *arbiter)
{
	return arbiter->o.recovery;
}

/* The roster is there; who has a place. */
void recovery_begin(struct arbiter *arbiter);

/* A message that only such steps have, or that means more there. Returns
 * whether that was all of it. */
bool recovery_handle(struct arbiter *arbiter, unsigned member, char type,
		     const char *data);

/* All that has to end in this state has not. */
bool recovery_is_waiting(const struct arbiter_group *group);

/* Whether all who have a place have ended, or have only services. */
bool recovery_all_idle(const struct arbiter_group *group);
bool recovery_all_ended(const struct arbiter_group *group);

/* A failure isn't judged before it is known who lives: look again soon. */
bool recovery_is_in_doubt(const struct arbiter_group *group);

/* Why nothing starts again, or NULL: it does. */
const char *recovery_why_no_restart(struct arbiter_group *group);

/* The connection to the member is lost; failure has what is said. */
void recovery_note_lost(struct arbiter *arbiter,
			const struct arbiter_failure *failure);

/* The round ends or not: what is said of it, after the first failure. */
void recovery_say_decision(struct arbiter_group *group);

/* All have ended: the next round, or the end of the step. */
void recovery_begin_round(struct arbiter_group *group);

/* Not all have ended in time. */
void recovery_too_late(struct arbiter_group *group);

/* Who hasn't come counts as lost. */
void recovery_wait_no_more(struct arbiter_group *group);

#endif
