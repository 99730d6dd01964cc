/* SPDX-License-Identifier: Apache-2.0 */
/* What the arbiter does where a step outlives a lost node. */
#include "helpers/recovery/arbiter_recovery.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- who has a place --- */

void recovery_note_places(struct arbiter *r)
{
	const struct roster *roster = roster_of(r);
	bool *has = calloc(roster->nnodes, sizeof(*has));

	for (unsigned i = 0; has && i < roster->places.n; i++)
		has[roster->places.node[i]] = true;
	for (unsigned i = 0; i < r->o.n; i++)
		r->member[i].placed = has ? has[node_of(r, i)] : false;
	free(has);
}

/* Nothing runs before a new round has begun: who joins is told to end. */
static void begin_takeover(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;

	/* Slurm may not see the end of the old centre's task */
	r->loss = LOSS_NODE;
	g->failing = g->decided = g->restarting = g->replacing = true;
	g->first =
		(struct arbiter_failure){.lost = true, .code = 128 + SIGKILL};
	restart_pause_next(&g->pauses, loop_now_ms());
	loop_arm(r->o.loop, &g->deadline,
		 (unsigned long)r->o.recovery->lease_s * 1000);
}

void recovery_begin(struct arbiter *r)
{
	recovery_note_places(r);
	r->spares_lost = (struct loop_timer){
		.expired = recovery_spares_are_lost, .arg = r};
	r->group->nrestarts = r->o.recovery->nrestarts;
	if (r->o.recovery->takeover)
		begin_takeover(r->group);
}

/* --- who is waited for --- */

static bool is_awaited(const struct arbiter *r, unsigned member)
{
	return !r->no_more &&
	       roster_of(r)->node[node_of(r, member)].state == NODE_AWAITED;
}

bool arbiter_expects(const struct arbiter *r, unsigned member)
{
	return member_is_here(r, member) || is_awaited(r, member);
}

/* While a round ends, all who are here say so; in a round that ends by itself
 * those who have a place. */
static bool is_waited_for(const struct arbiter_group *g, unsigned member)
{
	const struct arbiter *r = g->arbiter;
	const struct arbiter_member *m = &r->member[member];

	if (!member_is_here(r, member))
		return is_awaited(r, member) &&
		       (m->placed || r->o.recovery->takeover);
	return !m->ended && (m->placed || g->decided);
}

bool recovery_is_waiting(const struct arbiter_group *g)
{
	for (unsigned i = 0; i < g->arbiter->o.n; i++)
		if (is_waited_for(g, i))
			return true;
	return false;
}

bool recovery_all_idle(const struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;

	for (unsigned i = 0; i < r->o.n; i++)
		if (r->member[i].placed && !r->member[i].idle)
			return false;
	return true;
}

bool recovery_all_ended(const struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;

	for (unsigned i = 0; i < r->o.n; i++)
		if (r->member[i].placed && !r->member[i].ended)
			return false;
	return true;
}

/* --- decisions --- */

/* A centre that is cut off loses all others, and isn't to judge that: srun has
 * to have answered since. */
bool recovery_is_in_doubt(const struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;

	if (g->stopped || !g->asked_ms)
		return false;
	if (!r->o.heard(r->o.arg, ARBITER_ALL, g->asked_ms))
		return true;
	if (g->first.lost || roster_has_loss(roster_of(r)))
		return false;
	for (unsigned i = 0; i < r->o.n; i++)
		if (r->member[i].placed && !r->member[i].gone &&
		    member_is_here(r, i) &&
		    !r->o.heard(r->o.arg, i, g->asked_ms))
			return true;
	return false;
}

enum roster_answer recovery_answer_now(const struct arbiter *r)
{
	struct places places = {0};
	enum roster_answer answer = roster_decide(roster_of(r), &places);

	places_clear(&places);
	return answer;
}

const char *recovery_why_no_restart(struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;
	const char *why;

	if (g->stopped || g->first.step_signalled)
		return "the step was told to end";
	if (roster_has_loss(roster_of(r))) {
		g->fate = recovery_answer_now(r);
		g->replacing = g->fate <= ROSTER_PLACES;
		return g->replacing ? NULL : "no node can take the place";
	}
	why = group_why_not(g, g->nrestarts);
	if (why)
		return why;
	g->counted = true;
	g->nrestarts++;
	return NULL;
}

static void say_no_answer(struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;

	roster_say(roster_of(r), g->fate, NULL, 0, r->o.say, r->o.say_arg);
}

void recovery_say_decision(struct arbiter_group *g)
{
	if (g->replacing)
		restart_pause_next(&g->pauses, loop_now_ms());
	else if (!g->restarting && g->fate > ROSTER_PLACES)
		say_no_answer(g);
}

/* --- the end of a round --- */

/* Processes that SIGKILL doesn't end hang in the kernel, which is their node's
 * fault: it gets no more. */
static void condemn_who_runs(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;

	for (unsigned i = 0; i < r->o.n; i++) {
		if (!member_is_here(r, i) || r->member[i].ended)
			continue;
		roster_condemn(roster_of(r), node_of(r, i),
			       "has processes that can't be ended");
		group_note_ended(r, i);
	}
}

void recovery_too_late(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;

	if (!g->restarting) {
		/* Who hasn't come to the next centre by now is lost */
		r->no_more |= r->o.recovery->takeover;
		arbiter_leave(r);
		return;
	}
	if (!r->no_more && r->o.recovery->takeover) {
		r->no_more = true;
		roster_wait_no_more(roster_of(r));
		loop_arm(r->o.loop, &g->deadline, END_MS);
	} else {
		condemn_who_runs(g);
	}
	group_check_ended(g);
}

/* MSG_ROUND to one member, or to all. */
void recovery_tell_round(struct arbiter *r, unsigned member)
{
	char *places = places_text(&roster_of(r)->places), *text = NULL;

	for (unsigned i = 0; i < r->o.n; i++)
		if (member == ARBITER_ALL || member == i)
			r->member[i].round = r->group->round;
	if (places && asprintf(&text, "%u %s", r->group->round, places) >= 0)
		arbiter_tell(r, member, MSG_ROUND, text);
	free(text);
	free(places);
}

static void end_for_want_of_nodes(struct arbiter_group *g,
				  enum roster_answer fate)
{
	g->restarting = g->replacing = false;
	g->fate = fate;
	g->first.code = 128 + SIGKILL;
	say_no_answer(g);
	arbiter_leave(g->arbiter);
}

void recovery_begin_round(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;
	struct places places = {0};
	enum roster_answer fate = roster_decide(roster_of(r), &places);

	if (fate > ROSTER_PLACES) {
		end_for_want_of_nodes(g, fate);
		return;
	}
	roster_say(roster_of(r), fate, &places, g->round + 1, r->o.say,
		   r->o.say_arg);
	roster_take(roster_of(r), &places);
	recovery_note_places(r);
	group_reset(g);
	g->replacing = g->counted = false;
	g->asked_ms = 0;
	r->ready = (struct barrier){0};
	*r->go = '\0';
	for (unsigned i = 0; i < r->o.n; i++)
		r->member[i].ready = 0;
	recovery_tell_round(r, ARBITER_ALL);
}
