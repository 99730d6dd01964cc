/* SPDX-License-Identifier: Apache-2.0 */
/* What groups do: the actions of arbiter_table.def that don't only judge, and
 * the walk over it. First the order, then the words: whoever reads them may not
 * read. */
#include "helpers/arbiter/arbiter_state.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>

#define LEAVE_S 3			 /* beyond the last SIGKILL */
#define END_S	(KILL_AFTER_S + LEAVE_S) /* after SIGTERM */

static void arm_s(struct arbiter_group *g, long s)
{
	loop_arm(g->arbiter->o.loop, &g->timer, (uint64_t)s * 1000);
}

static void disarm(struct arbiter_group *g)
{
	loop_disarm(g->arbiter->o.loop, &g->timer);
}

void arbiter_disarm(struct arbiter *a)
{
	for (unsigned i = 0; a->group && i < a->ngroups; i++)
		loop_disarm(a->o.loop, &a->group[i].timer);
	loop_disarm(a->o.loop, &a->spares_lost);
}

/* So long ends may take, when SIGTERM comes after that. */
static long longest_s(const struct arbiter *a, long after_s)
{
	return after_s + (arbiter_has_started(a) ? KILL_AFTER_S : 0) + LEAVE_S +
	       a->lease_s;
}

/* --- the end of the step --- */

/* Who hasn't been lost has ended with 0; where all have been, nobody has. */
static int code_of_end(const struct arbiter *a)
{
	if (a->failed)
		return a->failed->code;
	for (unsigned i = 0; i < a->o.n; i++)
		if (a->member[i].placed && a->member[i].state != MEMBER_GONE)
			return 0;
	return GONE_CODE;
}

static void group_leave(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;

	a->left = true;
	arbiter_disarm(a);
	arbiter_say_killed(a);
	arbiter_tell_number(a, MSG_LEAVE, code_of_end(a));
}

/* From now on only ends are waited for. */
static void close_step(struct arbiter *a, enum group_state state, long s)
{
	for (unsigned i = 0; i < a->ngroups; i++) {
		disarm(&a->group[i]);
		a->group[i].state = state;
		a->group[i].changed = true;
	}
	arm_s(a->group, s);
}

/* Services end, too. */
static void fail_step(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;
	long after_s = arbiter_has_started(a) ? g->first.after_s : 0;

	a->failed = &g->first;
	a->told_done &= !a->o.no_deadline;
	close_step(a, GROUP_FAILS, longest_s(a, after_s));
	arbiter_tell_number(a, MSG_END, after_s);
}

static void tell_done(struct arbiter *a)
{
	a->told_done = true;
	arbiter_tell(a, ARBITER_ALL, MSG_DONE, "");
}

static void finish(struct arbiter *a)
{
	close_step(a, GROUP_DONE, END_S);
	if (a->keeps_services || group_rest(a->group) != EVENT_REST)
		tell_done(a);
}

/* How they end doesn't count from now on (but: no_deadline). */
static void group_end_services(struct arbiter_group *g)
{
	if (!g->arbiter->o.no_deadline) {
		finish(g->arbiter);
		return;
	}
	if (g->state == GROUP_RUNS)
		disarm(g);
	tell_done(g->arbiter);
}

static void group_rests(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;
	bool all = true;

	disarm(g);
	for (unsigned i = 0; i < a->ngroups; i++)
		all &= a->group[i].state == GROUP_OVER;
	if (all)
		finish(a);
}

static void group_stop(struct arbiter_group *g)
{
	g->first = *g->news;
	fail_step(g);
	group_note_first(g);
	group_say_failure(g);
}

static void group_fail(struct arbiter_group *g)
{
	fail_step(g);
	group_say_first(g, false);
}

/* Its own processes have been told already. */
static void group_fail_too(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;

	a->failed = &g->first;
	if (a->keeps_services) {
		g->first.after_s = a->o.grace_s;
		fail_step(g);
		group_say_down(g);
	} else if (!g->timer.armed) {
		group_leave(g);
	}
}

/* --- the end of a round --- */

static void group_begin_window(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;
	bool spreads;

	g->first = *g->news;
	spreads = g->first.gone && *g->first.line;
	if (a->o.ask) {
		g->asked_ms = loop_now_ms();
		a->o.ask(a->o.arg);
	}
	if (a->o.n > 1)
		loop_arm(a->o.loop, &g->timer,
			 spreads ? KILL_SPREAD_MS : WINDOW_MS);
	else
		g->then = EVENT_TIME;
}

static void group_end_round(struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;
	bool again = g->state == GROUP_RESTARTS;
	long after_s = again ? 0 : g->first.after_s;
	char text[32];

	if (again)
		restart_pause_next(&g->pauses, loop_now_ms());
	arm_s(g, longest_s(a, after_s));
	snprintf(text, sizeof(text), "%ld%s", after_s,
		 a->keeps_services ? " 1" : "");
	group_tell(g, MSG_END, text);
	group_say_first(g, again);
}

static void group_call_off(struct arbiter_group *g)
{
	group_judge_off(g);
	group_say_failure(g);
}

static void group_look_who_came(struct arbiter_group *g)
{
	arm_s(g, END_S);
	group_judge_absent(g);
	if (g->nabsent)
		group_say_absent(g);
}

/* Processes that SIGKILL doesn't end hang in the kernel, which is their node's
 * fault: it gets no more. */
static void condemn_who_runs(struct arbiter *a)
{
	for (unsigned i = 0; i < a->o.n; i++) {
		if (!arbiter_is_here(a, i) ||
		    a->member[i].state >= MEMBER_ENDED)
			continue;
		roster_condemn(a->roster, arbiter_node_of(a, i),
			       "has processes that can't be ended");
		a->member[i].state = MEMBER_ENDED;
	}
}

static void group_too_late(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;

	if (arbiter_has_ladder(a))
		condemn_who_runs(a);
	else
		group_judge_late(g);
}

static void group_abandon(struct arbiter_group *g)
{
	g->why = GROUP_LATE;
	group_say_down(g);
	group_rests(g);
}

static void group_begin_pause(struct arbiter_group *g)
{
	loop_arm(g->arbiter->o.loop, &g->timer, g->pauses.next_ms);
}

/* --- the next round --- */

/* It has a number, and nothing has happened in it. */
static void reset(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;

	g->round++;
	g->pauses.began_ms = loop_now_ms();
	g->asked_ms = 0;
	g->counted = false;
	a->told_done = false;
	a->nkilled = 0;
	for (unsigned i = 0; i < a->o.n; i++) {
		struct arbiter_member *m = &a->member[i];

		if (m->group != g)
			continue;
		m->round = g->round;
		if (m->state == MEMBER_IDLE || m->state == MEMBER_ENDED)
			m->state = MEMBER_WORKS;
	}
}

/* MSG_READY and MSG_GO follow, as in round 0. */
static void begin_in_places(struct arbiter_group *g, struct places *places)
{
	struct arbiter *a = g->arbiter;

	roster_say(a->roster, a->fate, places, g->round + 1, a->o.say,
		   a->o.say_arg);
	roster_take(a->roster, places);
	arbiter_note_places(a);
	reset(g);
	a->nready = a->nmet = 0;
	*a->go = '\0';
	for (unsigned i = 0; i < a->o.n; i++)
		a->member[i].ready = 0;
	arbiter_tell_round(a, ARBITER_ALL);
}

static void group_begin_round(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;
	struct places places = {0};
	char text[24];

	if (!arbiter_has_ladder(a)) {
		reset(g);
		snprintf(text, sizeof(text), "%u", g->round);
		group_tell(g, MSG_ROUND, text);
		return;
	}
	a->fate = roster_decide(a->roster, &places);
	if (a->fate <= ROSTER_PLACES) {
		begin_in_places(g, &places);
		return;
	}
	g->first.code = 128 + SIGKILL;
	a->failed = &g->first;
	arbiter_say_no_answer(a);
	group_leave(g);
}

/* --- the table --- */

static const struct {
	void (*act)(struct arbiter_group *g);
	enum group_state next;
} table[NGROUP_STATES][NGROUP_EVENTS] = {
#define ROW(state, event, act, next)                                           \
	[GROUP_##state][EVENT_##event] = {group_##act, GROUP_##next},
#include "helpers/arbiter/arbiter_table.def"
};

static void walk(struct arbiter_group *g, enum group_event event)
{
	while (!g->arbiter->left && table[g->state][event].act) {
		enum group_state was = g->state;

		g->state = table[was][event].next;
		g->changed = true;
		g->then = EVENT_NONE;
		table[was][event].act(g);
		event = g->then;
	}
}

/* Members may have answered before an action was through. */
static void look_at_all(struct arbiter *a)
{
	for (unsigned i = 0; i < a->ngroups && !a->left; i++) {
		struct arbiter_group *g = &a->group[i];
		enum group_event event = EVENT_NONE;

		if (g->changed)
			event = group_rest(g);
		g->changed = false;
		if (event != EVENT_IDLE || !a->told_done)
			walk(g, event);
		if (g->changed)
			i = UINT_MAX; /* from the first one on */
	}
}

void arbiter_happens(struct arbiter_group *g, enum group_event event,
		     const struct arbiter_failure *failure)
{
	struct arbiter *a = g->arbiter;

	if (event != EVENT_FAILURE)
		g->changed = true;
	g->news = failure;
	a->depth++;
	walk(g, event);
	if (a->depth == 1)
		look_at_all(a);
	a->depth--;
}
