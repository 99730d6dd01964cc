/* SPDX-License-Identifier: Apache-2.0 */
/* What the user reads of a group's end, and of one that stays down. */
#include "helpers/channel/arbiter_state.h"

#include <stdio.h>

static void say(const struct arbiter_group *g, const char *line)
{
	g->arbiter->o.say(g->arbiter->o.say_arg, line);
}

/* Returns whether the others go on without it. */
bool group_give_up(struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;
	unsigned able;

	g->given_up = true;
	able = arbiter_count_able(r);
	return able && able >= r->o.min_groups && !g->first.step_signalled;
}

void group_say_down(struct arbiter_group *g, const char *why)
{
	const struct arbiter *r = g->arbiter;
	struct line_groups groups = {
		.group = g->number,
		.able = arbiter_count_able(r),
		.n = r->ngroups,
		.min = r->o.min_groups,
	};
	char line[ARBITER_LINE_SIZE];

	if (!g->first.step_signalled)
		say(g, line_group_down(line, &groups, why));
}

void group_stay_down(struct arbiter_group *g, const char *why)
{
	if (!group_give_up(g))
		arbiter_close_failed(g, g->arbiter->o.grace_s);
	group_say_down(g, why);
}

/* Who is missing would have no part in the restart. */
void group_give_restart_up(struct arbiter_group *g, unsigned nabsent)
{
	char line[ARBITER_LINE_SIZE];

	g->restarting = false;
	say(g, line_no_restart(line, nabsent, g->n));
}

static unsigned count_used(const struct arbiter_group *g)
{
	return arbiter_recovers(g->arbiter) ? g->nrestarts : g->round;
}

/* The user has asked for restarts. What a lost node comes to is said. */
static void say_unused(struct arbiter_group *g, const char *why)
{
	const struct arbiter *r = g->arbiter;
	char line[ARBITER_LINE_SIZE];

	if (*why && r->o.rounds && !g->first.step_signalled &&
	    g->fate <= ROSTER_PLACES)
		say(g, line_unused(line, count_used(g), r->o.rounds, why));
}

static void say_restart(struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;
	char line[ARBITER_LINE_SIZE], whose[32] = "the step";
	unsigned pause_ms = restart_pause_next(&g->pauses, loop_now_ms());

	if (g->replacing)
		return;
	if (arbiter_has_groups(r))
		snprintf(whose, sizeof(whose), "replica group %u", g->number);
	say(g, line_restart(line, count_used(g) + !arbiter_recovers(r),
			    r->o.rounds, whose, pause_ms));
}

void group_note_first(const struct arbiter_group *g)
{
	const struct arbiter_options *o = &g->arbiter->o;

	if (o->failed && !g->first.step_signalled)
		o->failed(o->say_arg, g->first.member, g->first.code,
			  g->first.line);
}

/* What the user reads about it. For `nabsent` members that haven't come there
 * is no restart; else `why` says why there is none. */
void group_tell_first_failure(struct arbiter_group *g, unsigned nabsent,
			      const char *why)
{
	group_note_first(g);
	if (*g->first.line)
		say(g, g->first.line);
	else if (!g->first.step_signalled && !g->first.lost)
		arbiter_tell(g->arbiter, g->first.member, MSG_REPORT, "");
	if (arbiter_recovers(g->arbiter))
		recovery_say_decision(g);
	if (nabsent)
		group_give_restart_up(g, nabsent);
	if (g->restarting)
		say_restart(g);
	else if (g->given_up)
		group_say_down(g, why);
	else if (why)
		say_unused(g, why);
}
