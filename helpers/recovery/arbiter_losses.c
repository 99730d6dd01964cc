/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are lost, or silent, where a step outlives a lost node. */
#include "helpers/recovery/arbiter_recovery.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>

#define SPARE_LOST_MS 1000 /* until it is said */

/* While the grace runs of a failure, which the loss has caused after all. */
static void replace_after_all(struct arbiter_group *g,
			      const struct arbiter_failure *f)
{
	struct arbiter *r = g->arbiter;

	if (recovery_answer_now(r) > ROSTER_PLACES)
		return;
	g->first = *f;
	g->fate = ROSTER_SAME;
	g->restarting = g->replacing = true;
	loop_arm(r->o.loop, &g->deadline,
		 (unsigned long)(KILL_AFTER_S + LEAVE_S +
				 r->o.recovery->lease_s) *
			 1000);
	arbiter_tell(r, ARBITER_ALL, MSG_END, "0");
	group_note_first(g);
	if (*f->line)
		say_line(r, f->line);
	recovery_say_decision(g);
}

/* A restart that a loss has caused isn't one of the key restarts. */
static void uncount_restart(struct arbiter_group *g)
{
	if (!g->counted)
		return;
	g->counted = false;
	g->nrestarts--;
	g->replacing = true;
}

static bool is_over(const struct arbiter_group *g)
{
	return g->done || g->finished || g->stopped || g->arbiter->over;
}

/* The round ends because of its silence, of which nothing has been said. */
static bool has_been_silent(const struct arbiter_group *g,
			    const struct arbiter_failure *f)
{
	return g->failing && g->first.lost && !*g->first.line &&
	       g->first.member == f->member;
}

/* A node that has a place can't go on. */
void recovery_note_loss(struct arbiter_group *g,
			const struct arbiter_failure *f)
{
	if (is_over(g))
		return;
	if (has_been_silent(g, f)) {
		g->first = *f;
		if (g->decided)
			say_line(g->arbiter, f->line);
	}
	if (!g->decided)
		group_note_failure(g, f);
	else if (g->restarting)
		uncount_restart(g);
	else
		replace_after_all(g, f);
}

/* The others end theirs, which may take as long as is left of its lease: the
 * round is over, even if the node is back by then. Without a place for its
 * ranks they go on until it is sure. */
void arbiter_silent(struct arbiter *r, unsigned member)
{
	const struct arbiter_member *m = &r->member[member];
	struct arbiter_failure f = {.member = member,
				    .at_ms = loop_now_ms(),
				    .code = 128 + SIGKILL,
				    .lost = true};

	if (is_over(r->group) || !m->placed || m->ended ||
	    !roster_fence(roster_of(r), node_of(r, member)))
		return;
	recovery_note_loss(r->group, &f);
}

static void say_spare_lost(const struct arbiter *r, unsigned node)
{
	const struct roster *roster = roster_of(r);
	unsigned left = roster_count_spares(roster);
	char line[ARBITER_LINE_SIZE], name[ROSTER_NAME_SIZE];

	snprintf(line, sizeof(line),
		 "dist-train: %s, a spare, is lost: %u spare%s left\n",
		 roster_name(roster, node, name), left,
		 left == 1 ? " is" : "s are");
	say_line(r, line);
}

/* Those that haven't come back meanwhile, each node once. */
void recovery_spares_are_lost(void *arg)
{
	struct arbiter *r = arg;
	unsigned said = UINT_MAX;

	if (r->group->stopped)
		return;
	for (unsigned i = 0; i < r->o.n; i++) {
		unsigned node = node_of(r, i);

		if (!r->member[i].untold)
			continue;
		r->member[i].untold = false;
		if (node != said && !member_is_here(r, i))
			say_spare_lost(r, node);
		said = node;
	}
}

/* Where all launchers are ended (Ctrl-C, scancel) this one lives for a moment
 * longer, and nothing is lost. */
static void note_spare_lost(struct arbiter *r, unsigned member)
{
	r->member[member].untold = true;
	loop_arm(r->o.loop, &r->spares_lost, SPARE_LOST_MS);
}

void recovery_note_lost(struct arbiter *r, const struct arbiter_failure *f)
{
	struct arbiter_group *g = r->member[f->member].group;
	struct arbiter_member *m = &r->member[f->member];
	bool placed = m->placed;

	roster_lose(roster_of(r), node_of(r, f->member));
	m->known = false;
	if (placed)
		recovery_note_loss(g, f);
	else
		note_spare_lost(r, f->member);
	group_note_ended(r, f->member);
	group_check_idle(g);
	group_check_ended(g);
}

void recovery_wait_no_more(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;
	struct arbiter_failure f = {
		.at_ms = loop_now_ms(), .code = 128 + SIGKILL, .lost = true};
	bool had_loss = roster_has_loss(roster_of(r));

	if (roster_wait_no_more(roster_of(r)) && r->loss < LOSS_TASK)
		r->loss = LOSS_TASK;
	for (unsigned i = 0; i < r->o.n; i++)
		if (!member_is_here(r,
				    i)) /* a node of which only some are here */
			roster_lose(roster_of(r), node_of(r, i));
	if (!had_loss && roster_has_loss(roster_of(r)))
		recovery_note_loss(g, &f);
}
