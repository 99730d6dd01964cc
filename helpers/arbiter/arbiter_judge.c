/* SPDX-License-Identifier: Apache-2.0 */
/* Who is waited for, which failure was the first, and what follows from it.
 * Nothing is sent or said here. */
#include "helpers/arbiter/arbiter_state.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define GONE "one of its launchers is gone"

struct arbiter_failure arbiter_failure(const struct arbiter *a, unsigned member,
				       int code)
{
	return (struct arbiter_failure){.member = member,
					.at_ms = loop_now_ms(),
					.code = code,
					.after_s = a->o.grace_s};
}

void arbiter_note_places(struct arbiter *a)
{
	const struct roster *roster = a->roster;
	bool *has = calloc(roster->nnodes, sizeof(*has));

	for (unsigned i = 0; has && i < roster->places.n; i++)
		has[roster->places.node[i]] = true;
	a->nplaced = 0;
	for (unsigned i = 0; i < a->o.n; i++) {
		a->member[i].placed = has && has[arbiter_node_of(a, i)];
		a->nplaced += a->member[i].placed;
	}
	free(has);
}

/* --- who is waited for --- */

bool arbiter_expects(const struct arbiter *a, unsigned member)
{
	unsigned node = arbiter_node_of(a, member);

	return arbiter_is_here(a, member) ||
	       (!a->no_more && a->roster->node[node].state == NODE_AWAITED);
}

bool group_is_ending(const struct arbiter_group *g)
{
	return g->state == GROUP_RESTARTS || g->state == GROUP_PAUSES ||
	       g->arbiter->failed;
}

/* While a round ends all who are here are; in one that ends by itself those who
 * have a place. */
static bool is_waited_for(const struct arbiter_group *g, unsigned member)
{
	const struct arbiter *a = g->arbiter;

	if (a->member[member].state >= MEMBER_ENDED)
		return false;
	if (a->member[member].placed)
		return arbiter_expects(a, member);
	return group_is_ending(g) && arbiter_is_here(a, member);
}

enum group_event group_rest(const struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;
	bool closing = g->state >= GROUP_FAILS;
	enum group_event event = EVENT_REST;

	for (unsigned i = 0; i < a->o.n; i++) {
		const struct arbiter_member *m = &a->member[i];
		bool idle = m->state == MEMBER_IDLE;

		if ((m->group != g && !closing) || !is_waited_for(g, i) ||
		    (idle && a->keeps_services && !closing))
			continue;
		if (m->placed && !idle)
			return EVENT_NONE;
		if (m->placed || event == EVENT_REST) /* a spare has none */
			event = idle ? EVENT_IDLE : EVENT_NONE;
	}
	return event;
}

/* Those that have a place and haven't come. */
static unsigned count_absent(const struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;
	unsigned n = 0;

	for (unsigned i = 0; i < a->o.n; i++)
		n += a->member[i].group == g && a->member[i].placed &&
		     a->member[i].state != MEMBER_GONE &&
		     !arbiter_is_here(a, i);
	return n;
}

/* --- the first failure --- */

/* A process that has lost its peers says so and exits; it isn't ended by one of
 * these. */
static bool is_a_cause(const struct arbiter_failure *f)
{
	switch (f->lost ? 0 : f->code - 128) {
	case SIGKILL:
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
		return true;
	default:
		return false;
	}
}

/* A launcher notices an end when its node gives it a processor: times that are
 * near tell less than causes do. Processes fail because another node's launcher
 * is gone, or because Slurm ends others; the other way round doesn't happen,
 * whatever their messages' times are. A node that can be replaced is the cause
 * of its own processes' end. */
void group_compare(struct arbiter_group *g)
{
	const struct arbiter_failure *f = g->news;
	bool earlier = f->at_ms < g->first.at_ms;

	if (is_a_cause(f) != is_a_cause(&g->first) &&
	    (earlier ? g->first.at_ms - f->at_ms : f->at_ms - g->first.at_ms) <
		    NEAR_MS)
		earlier = is_a_cause(f);
	if (f->step_signalled != g->first.step_signalled)
		earlier = f->step_signalled;
	if (f->lost != g->first.lost &&
	    (f->member != g->first.member || arbiter_has_ladder(g->arbiter)))
		earlier = f->lost;
	if (earlier)
		g->first = *f;
}

bool group_has_loss(const struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;

	for (unsigned i = 0; i < a->o.n; i++)
		if (a->member[i].group == g && a->member[i].placed &&
		    roster_is_lost(a->roster, arbiter_node_of(a, i)))
			return true;
	return false;
}

/* The failure may come from another one that is late, on a busy node, or from a
 * loss that isn't known yet: all who have a place have to have given a sign of
 * life since. Without a ladder nobody finds out who is silent, and it isn't
 * waited for long. */
static bool is_in_doubt(const struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;
	bool all_heard = true;

	if (!a->stopped && g->first.step_signalled && a->o.unsure &&
	    a->o.unsure(a->o.say_arg))
		return true;
	if (a->stopped || !g->asked_ms || g->first.lost || group_has_loss(g))
		return false;
	if (!arbiter_has_ladder(a) && loop_now_ms() - g->asked_ms >= ASKED_MS)
		return false;
	for (unsigned i = 0; i < a->o.n && all_heard; i++)
		all_heard = !a->member[i].placed || !arbiter_is_here(a, i) ||
			    a->member[i].state == MEMBER_GONE ||
			    a->o.heard(a->o.arg, i, g->asked_ms);
	return !all_heard;
}

/* --- what follows --- */

/* Whether the others go on without it. */
static void give_up(struct arbiter_group *g, const char *why)
{
	struct arbiter *a = g->arbiter;

	g->why = why;
	if (a->nable)
		a->nable--;
	g->then = EVENT_FAIL;
	if (a->nable && a->nable >= a->o.min_groups && !g->first.step_signalled)
		g->then = EVENT_DOWN;
}

/* Why the key restarts doesn't give another one, or NULL. */
static const char *why_not(struct arbiter_group *g)
{
	const struct arbiter_options *o = &g->arbiter->o;

	if (g->first.not_started)
		return "its program can't be started";
	if (!o->restarts_on(o->restart_arg, g->first.code)) {
		snprintf(g->why_text, sizeof(g->why_text),
			 "exit code %d isn't in %s", g->first.code,
			 o->restart_on);
		return g->why_text;
	}
	if (g->nrestarts >= o->rounds)
		return "its restarts are used up";
	if (g->arbiter->no_more)
		g->nabsent = count_absent(g);
	return g->nabsent ? GONE : NULL;
}

static void judge_failure(struct arbiter_group *g)
{
	const char *why = why_not(g);

	if (why) {
		give_up(g, why);
		return;
	}
	g->counted = true;
	g->nrestarts++;
	g->then = EVENT_RESTART;
}

static enum roster_answer answer_now(const struct arbiter *a)
{
	struct places places = {0};
	enum roster_answer answer = roster_decide(a->roster, &places);

	places_clear(&places);
	return answer;
}

/* Whether there is a place for all who have lost theirs. */
static void judge_loss(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;

	g->counted = false;
	g->then = EVENT_RESTART;
	a->fate = answer_now(a);
	if (a->fate > ROSTER_PLACES)
		give_up(g, GONE);
}

void group_judge(struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;

	g->nabsent = 0;
	g->why = "";
	if (is_in_doubt(g))
		loop_arm(a->o.loop, &g->timer, WINDOW_MS);
	else if (a->keeps_services && !arbiter_has_started(a))
		g->then = EVENT_FAIL; /* a service may be the cause */
	else if (a->stopped || g->first.step_signalled)
		give_up(g, "the step was told to end");
	else if (group_has_loss(g))
		judge_loss(g);
	else
		judge_failure(g);
}

/* Others still run when an exit of 0 is that long ago: a failure like another
 * one, so that a restart may follow. They have had the grace already. */
void group_judge_early(struct arbiter_group *g)
{
	g->first = arbiter_failure(g->arbiter, 0, 1);
	g->first.after_s = 0;
	snprintf(g->first.line, sizeof(g->first.line), "%s", g->early_line);
	group_judge(g);
}

/* While the grace runs of a failure, which the loss has caused after all. */
void group_judge_again(struct arbiter_group *g)
{
	struct arbiter *a = g->arbiter;

	if (answer_now(a) > ROSTER_PLACES)
		return;
	g->first = *g->news;
	g->counted = false;
	a->fate = ROSTER_SAME;
	a->failed = NULL;
	a->nable = a->ngroups;
	g->then = EVENT_RESTART;
}

void group_judge_absent(struct arbiter_group *g)
{
	g->nabsent = count_absent(g);
	if (g->nabsent)
		give_up(g, GONE);
}

/* Who hasn't come yet has a part in the next round all the same: it is told to
 * end when it comes. */
void group_judge_late(struct arbiter_group *g)
{
	if (!g->arbiter->no_more && count_absent(g))
		return;
	give_up(g, GROUP_LATE);
	if (g->then == EVENT_DOWN)
		g->then = EVENT_ABANDON;
}

/* For a loss, or a word, after which nothing starts again. */
void group_judge_off(struct arbiter_group *g)
{
	g->first = *g->news;
	give_up(g, GONE);
}

/* A restart that a loss has caused isn't one of the key restarts. */
void group_uncount(struct arbiter_group *g)
{
	g->nrestarts -= g->counted;
	g->counted = false;
}
