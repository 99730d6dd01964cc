/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arbiter inside. arbiter_messages.c and arbiter.c make events of what
 * happens; arbiter_table.c does what arbiter_table.def says of them,
 * arbiter_judge.c decides what follows, arbiter_words.c tells and says it. Each
 * calls those after it alone.
 */
#pragma once

#include "core/base/restart_pause.h"
#include "helpers/arbiter/arbiter.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/roster/roster.h"

#include <stdint.h>

#define WINDOW_MS 100  /* failures that arrive so near compete */
#define NEAR_MS	  1000 /* between a cause and what follows from it */

/* Who was asked for a sign of life may take so long, where no lease says it */
#define ASKED_MS 2000

#define GROUP_LATE "not all of its processes have ended in time"

/* In this order: from MEMBER_ENDED on nothing runs there. */
enum member_state {
	MEMBER_WORKS, /* its processes run, or will; it may not have come */
	MEMBER_NEW,   /* it has come, and its MSG_STATE follows */
	MEMBER_JOINS, /* it has come back, and ends what it had before */
	MEMBER_IDLE,  /* only services run */
	MEMBER_ENDED,
	MEMBER_GONE, /* lost */
};

struct arbiter_member {
	struct arbiter_group *group;
	enum member_state state;
	bool placed;	/* its node has a place in this round */
	bool untold;	/* it was lost without a place, and nobody knows */
	unsigned ready; /* how often */
	unsigned round; /* that it was told last */
};

struct arbiter_failure {
	unsigned member;
	unsigned long long at_ms; /* on this node's clock */
	int code;
	long after_s; /* so long the others may go on */
	bool step_signalled;
	bool not_started;	   /* its program couldn't be executed */
	bool lost;		   /* the connection to the member's launcher */
	bool gone;		   /* the same, and not by silence */
	char line[LOSS_LINE_SIZE]; /* to say; "": the member reports */
};

enum group_state {
	GROUP_RUNS,	/* its timer: since an exit of 0 the grace */
	GROUP_COMPARES, /* failures that come together; timer: the window */
	GROUP_RESTARTS, /* its processes end; timer: the latest */
	GROUP_PAUSES,	/* before its next round; timer: the pause */
	GROUP_DOWN,	/* its processes end, for good; timer: the latest */
	GROUP_OVER,	/* nothing of it runs, or will; others go on */
	/* All groups at once; the first one's timer: the latest */
	GROUP_FAILS, /* the step's processes end */
	GROUP_DONE,  /* services end, if there are any */
	NGROUP_STATES,
};

enum group_event {
	EVENT_NONE,
	EVENT_FAILURE, /* a member's processes have failed */
	EVENT_GONE,    /* a launcher is lost, and nothing can take its place */
	EVENT_LOSS,    /* a place is lost: the ladder says what follows */
	EVENT_STOP,    /* the step is to end, for a reason outside of it */
	EVENT_TOLD,    /* the same, where all that runs is to end already */
	EVENT_NO_MORE, /* who isn't here isn't waited for */
	EVENT_TIME,    /* the state's timer */
	EVENT_IDLE,    /* only services run */
	EVENT_REST,    /* nothing runs that has to end */
	/* What actions say */
	EVENT_RESTART,
	EVENT_DOWN, /* the others go on without it */
	EVENT_ABANDON,
	EVENT_FAIL,
	NGROUP_EVENTS,
};

/* Members that fail and start again together, with a round of their own: all
 * of the step, or one of its groups. */
struct arbiter_group {
	struct arbiter *arbiter;
	unsigned number;
	unsigned n; /* members */
	unsigned round;
	unsigned nrestarts; /* by the key restarts */
	enum group_state state;
	bool counted; /* the restart is one of these */
	bool changed; /* something has happened, and IDLE, REST may follow */
	unsigned nabsent; /* they have no part in a restart: there is none */
	const struct arbiter_failure *news; /* of the event */
	enum group_event then;		    /* what follows from it */
	struct arbiter_failure first;
	struct loop_timer timer;
	struct restart_pause pauses;
	char early_line[LOSS_LINE_SIZE];
	uint64_t asked_ms; /* when all were asked for a sign of life */
	const char *why;   /* there is no restart; "": nobody expects one */
	char why_text[192];
};

struct arbiter {
	struct arbiter_options o;
	struct roster *roster, own_roster;
	const unsigned *node; /* by member; NULL: each is a node of its own */
	long lease_s;	      /* 0: who is silent has no lease */
	struct arbiter_member *member;
	struct arbiter_group *group;
	unsigned nplaced; /* members */
	unsigned ngroups;
	unsigned nable; /* groups that run, or have ended well */
	/* Services are the step's, and go on when a group ends */
	bool keeps_services;
	unsigned nready, nmet; /* members that wait for MSG_GO; how often all
				  have met */
	char go[64];	       /* the first one's text; "": without address */
	unsigned long nkilled; /* processes that were ended for the others */
	bool no_more;	       /* who isn't here isn't waited for */
	bool stopped; /* for a reason from outside: nothing follows a loss */
	bool told_done;
	bool left;
	unsigned depth; /* of events, which may cause each other */
	const struct arbiter_failure *failed; /* why; NULL: all is well */
	struct loop_timer spares_lost;
	enum roster_answer fate; /* what the last loss came to */
	enum arbiter_loss loss;
	uint64_t interrupted_ms; /* when Ctrl-C came; 0: never */
};

/* Something may follow a loss of one of its nodes. */
static inline bool arbiter_has_ladder(const struct arbiter *arbiter)
{
	return arbiter->roster->ladder.n;
}

static inline unsigned arbiter_node_of(const struct arbiter *arbiter,
				       unsigned member)
{
	return arbiter->node ? arbiter->node[member] : member;
}

static inline bool arbiter_is_here(const struct arbiter *arbiter,
				   unsigned member)
{
	return arbiter->o.here(arbiter->o.arg, member);
}

/* Processes may run. */
static inline bool arbiter_has_started(const struct arbiter *arbiter)
{
	return !arbiter->o.start_together || arbiter->nmet;
}

/* --- arbiter.c --- */

/* A node that has a place can't go on; failure has what is said. */
void arbiter_note_loss(struct arbiter *arbiter,
		       const struct arbiter_failure *failure);

/* --- arbiter_table.c --- */

/* Do what the table says, and what follows from it. With EVENT_NONE a member of
 * the group is in another state. */
void arbiter_happens(struct arbiter_group *group, enum group_event event,
		     const struct arbiter_failure *failure);

/* No timer is left. */
void arbiter_disarm(struct arbiter *arbiter);

/* --- arbiter_judge.c --- */

struct arbiter_failure arbiter_failure(const struct arbiter *arbiter,
				       unsigned member, int code);

/* Which members have a place, as the roster says. */
void arbiter_note_places(struct arbiter *arbiter);

/* It ends now, and who is here says so. */
bool group_is_ending(const struct arbiter_group *group);

/* A member that has a place is lost. */
bool group_has_loss(const struct arbiter_group *group);

/* EVENT_REST or EVENT_IDLE where all who are waited for have come to that. */
enum group_event group_rest(const struct arbiter_group *group);

/* Actions of the table: what follows is in `then`. */
void group_compare(struct arbiter_group *group);
void group_judge(struct arbiter_group *group);
void group_judge_early(struct arbiter_group *group);
void group_judge_again(struct arbiter_group *group);
void group_uncount(struct arbiter_group *group);

/* For those of arbiter_table.c: a restart is called off, somebody is absent, or
 * is late. */
void group_judge_off(struct arbiter_group *group);
void group_judge_absent(struct arbiter_group *group);
void group_judge_late(struct arbiter_group *group);

/* --- arbiter_words.c --- */

/* A message of text, to one, to ARBITER_ALL or to a group's members. */
void arbiter_tell(struct arbiter *arbiter, unsigned member, char type,
		  const char *text);
void arbiter_tell_number(struct arbiter *arbiter, char type, long number);
void group_tell(struct arbiter_group *group, char type, const char *text);

/* MSG_ROUND to one member, or to all. */
void arbiter_tell_round(struct arbiter *arbiter, unsigned member);

/* A line for the user, with "dist-train: " before it. */
void arbiter_say(const struct arbiter *arbiter, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void arbiter_say_no_answer(const struct arbiter *arbiter);
void arbiter_say_killed(const struct arbiter *arbiter);
void group_say_failure(const struct arbiter_group *group); /* its own line */
void group_say_absent(const struct arbiter_group *group);
void group_say_down(struct arbiter_group *group);

/* The record notes the first failure; and the user reads what follows, another
 * round (`again`) or not. */
void group_note_first(const struct arbiter_group *group);
void group_say_first(struct arbiter_group *group, bool again);
