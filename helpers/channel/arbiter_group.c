/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/arbiter_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_MS 100 /* failures that arrive so near compete */

static struct loop *loop_of(const struct arbiter_group *g)
{
	return g->arbiter->o.loop;
}

static void say(const struct arbiter_group *g, const char *line)
{
	g->arbiter->o.say(g->arbiter->o.say_arg, line);
}

void group_disarm(struct arbiter_group *g)
{
	loop_disarm(loop_of(g), &g->window);
	loop_disarm(loop_of(g), &g->deadline);
	loop_disarm(loop_of(g), &g->early);
	loop_disarm(loop_of(g), &g->pause);
}

/* Task 0's own launcher gets it last, as from ARBITER_ALL. */
void group_tell(struct arbiter_group *g, char type, const char *text)
{
	struct arbiter *r = g->arbiter;

	if (!arbiter_has_groups(r)) {
		arbiter_tell(r, ARBITER_ALL, type, text);
		return;
	}
	for (unsigned i = r->o.n; i-- > 0;)
		if (r->member[i].group == g && !r->member[i].gone)
			arbiter_tell(r, i, type, text);
}

/* --- the end of a round --- */

unsigned arbiter_count_absent(const struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;
	unsigned n = 0;

	for (unsigned i = 0; i < r->o.n; i++)
		n += r->member[i].group == g && !r->member[i].gone &&
		     !r->o.here(r->o.arg, i);
	return n;
}

/* Not all have ended in time. Who hasn't come yet has a part in the next round
 * all the same: it is told to end when it comes. */
static void too_late(void *arg)
{
	struct arbiter_group *g = arg;
	struct arbiter *r = g->arbiter;

	if (arbiter_recovers(r)) {
		recovery_too_late(g);
		return;
	}
	if (g->restarting && !r->no_more && arbiter_count_absent(g))
		return;
	if (!arbiter_has_groups(r)) {
		arbiter_leave(r);
		return;
	}
	g->restarting = false;
	group_stay_down(g, "not all of its processes have ended in time");
	arbiter_group_is_over(g);
	arbiter_check_closing(r);
}

void group_reset(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;

	restart_pause_begin(&g->pauses, loop_now_ms());
	g->restarting = g->decided = g->failing = g->done = false;
	g->nended = g->nidle = 0;
	if (!arbiter_has_groups(r))
		r->nkilled = 0;
	for (unsigned i = 0; i < r->o.n; i++)
		if (r->member[i].group == g)
			r->member[i].ended = r->member[i].idle = false;
	g->round++;
}

static void begin_round(void *arg)
{
	struct arbiter_group *g = arg;
	char text[24];

	if (arbiter_recovers(g->arbiter)) {
		recovery_begin_round(g);
		return;
	}
	group_reset(g);
	snprintf(text, sizeof(text), "%u", g->round);
	group_tell(g, MSG_GO, text);
}

/* Nothing of the member runs that has to end. With groups services go
 * on, because the other groups need them. */
static bool is_at_rest(const struct arbiter *r, const struct arbiter_member *m)
{
	return m->ended || (arbiter_has_groups(r) && m->idle);
}

/* Whether somebody still runs, or may yet come. */
static bool is_waiting(const struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;

	if (arbiter_recovers(r))
		return recovery_is_waiting(g);
	if (g->nended == g->n)
		return false;
	for (unsigned i = 0; i < r->o.n; i++)
		if (r->member[i].group == g && !is_at_rest(r, &r->member[i]) &&
		    (!r->no_more || r->o.here(r->o.arg, i)))
			return true;
	return false;
}

void group_check_ended(struct arbiter_group *g)
{
	/* A failure that still competes is decided first */
	if (g->over || is_waiting(g) || (g->failing && !g->decided) ||
	    g->deciding)
		return;
	if (g->restarting) {
		if (g->pause.armed)
			return;
		loop_disarm(loop_of(g), &g->deadline);
		loop_arm(loop_of(g), &g->pause, g->pauses.next_ms);
	} else if (arbiter_has_groups(g->arbiter)) {
		arbiter_group_is_over(g);
	} else {
		arbiter_leave(g->arbiter);
	}
}

void group_note_idle(struct arbiter *r, unsigned member)
{
	r->member[member].group->nidle += !r->member[member].idle;
	r->member[member].idle = true;
}

void group_note_ended(struct arbiter *r, unsigned member)
{
	if (r->member[member].ended)
		return;
	r->member[member].ended = true;
	r->member[member].group->nended++;
	group_note_idle(r, member);
}

/* And something runs. */
static bool all_idle(const struct arbiter_group *g)
{
	if (arbiter_recovers(g->arbiter))
		return recovery_all_idle(g) && !recovery_all_ended(g);
	return g->nidle == g->n && g->nended < g->n;
}

/* Only services run: how they end doesn't count from now on, but with
 * no_deadline. */
void group_check_idle(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;

	if (arbiter_has_groups(r)) {
		group_check_ended(g);
		return;
	}
	if (!all_idle(g) || g->done || (g->failing && !g->decided) ||
	    g->deciding)
		return;
	g->done = !r->o.no_deadline;
	loop_disarm(r->o.loop, &g->early);
	arbiter_tell(r, ARBITER_ALL, MSG_DONE, "");
	if (g->done)
		loop_arm(r->o.loop, &g->deadline, END_MS);
}

/* --- the first failure --- */

/* Processes may run. */
static bool has_started(const struct arbiter *r)
{
	return !r->o.start_together || r->ready.times;
}

const char *group_why_not(struct arbiter_group *g, unsigned used)
{
	const struct arbiter_options *o = &g->arbiter->o;

	if (g->first.not_started)
		return "its program can't be started";
	if (!o->restarts_on(o->restart_arg, g->first.code)) {
		snprintf(g->why, sizeof(g->why), "exit code %d isn't in %s",
			 g->first.code, o->restart_on);
		return g->why;
	}
	return used >= o->rounds ? "its restarts are used up" : NULL;
}

/* Why there is no restart, "" where nobody expects one, or NULL: there is one.
 */
static const char *why_no_restart(struct arbiter_group *g)
{
	const struct arbiter *r = g->arbiter;

	if (arbiter_recovers(r))
		return recovery_why_no_restart(g);
	if (arbiter_has_groups(r) && !has_started(r))
		return "";
	if (g->ngone)
		return "one of its launchers is gone";
	if (g->first.step_signalled)
		return "the step was told to end";
	return group_why_not(g, g->round);
}

/* How long launchers may take to say that all have ended. */
static long silent_s(const struct arbiter *r)
{
	return arbiter_recovers(r) ? LEAVE_S + r->o.recovery->lease_s : LEAVE_S;
}

/* The group's processes end, or, where the others can't go on without it, the
 * step does. Before all have started nobody can. */
static void end_round(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;
	bool groups = arbiter_has_groups(r);
	bool started = has_started(r);
	long after_s = g->restarting || !started ? 0 : r->o.grace_s;
	char text[32];

	if (groups && !g->restarting && (!started || !group_give_up(g))) {
		arbiter_close_failed(g, after_s);
		return;
	}
	loop_arm(r->o.loop, &g->deadline,
		 (unsigned long)(after_s + (started ? KILL_AFTER_S : 0) +
				 silent_s(r)) *
			 1000);
	snprintf(text, sizeof(text), "%ld%s", after_s, groups ? " 1" : "");
	group_tell(g, MSG_END, text);
}

/* First the order, then the words: whoever reads them may not read. */
void group_decide(void *arg)
{
	struct arbiter_group *g = arg;
	const char *why;
	unsigned nabsent;

	group_disarm(g);
	if (arbiter_recovers(g->arbiter) && recovery_is_in_doubt(g)) {
		loop_arm(loop_of(g), &g->window, WINDOW_MS);
		return;
	}
	why = why_no_restart(g);
	g->decided = g->deciding = true;
	nabsent = !why && g->arbiter->no_more && !arbiter_recovers(g->arbiter)
			  ? arbiter_count_absent(g)
			  : 0;
	g->restarting = !why && !nabsent;
	end_round(g);
	group_tell_first_failure(g, nabsent, why);
	g->deciding = false;
	group_check_idle(g);
	group_check_ended(g);
	arbiter_check_closing(g->arbiter);
}

static void stay_down(struct arbiter_group *g)
{
	bool at_rest = g->pause.armed;

	group_stay_down(g, why_no_restart(g));
	if (at_rest)
		arbiter_group_is_over(g);
}

void group_call_restart_off(struct arbiter_group *g,
			    const struct arbiter_failure *f)
{
	struct arbiter *r = g->arbiter;

	if (!g->restarting || r->over)
		return;
	g->restarting = false;
	g->stopped = true;
	g->first = *f;
	if (*f->line)
		say(g, f->line);
	if (arbiter_has_groups(r))
		stay_down(g);
	else if (g->pause.armed)
		arbiter_leave(r);
}

/* Processes fail because another node's launcher is gone, or because Slurm ends
 * others; the other way round doesn't happen, whatever their messages' times
 * are. */
static bool is_earlier(const struct arbiter_group *g,
		       const struct arbiter_failure *f)
{
	if (f->lost != g->first.lost &&
	    (f->member != g->first.member || arbiter_recovers(g->arbiter)))
		return f->lost;
	if (f->step_signalled != g->first.step_signalled)
		return f->step_signalled;
	return f->at_ms < g->first.at_ms;
}

void group_note_failure(struct arbiter_group *g,
			const struct arbiter_failure *failure)
{
	struct arbiter *r = g->arbiter;

	if (*failure->line)
		group_call_restart_off(g, failure);
	if (g->decided || g->done || g->over || r->over)
		return;
	if (!g->failing || is_earlier(g, failure))
		g->first = *failure;
	if (g->failing)
		return;
	g->failing = true;
	loop_disarm(r->o.loop, &g->early);
	if (arbiter_recovers(r)) {
		g->asked_ms = loop_now_ms();
		r->o.ask(r->o.arg);
	}
	if (r->o.n == 1)
		group_decide(g);
	else
		loop_arm(r->o.loop, &g->window,
			 failure->gone && *failure->line ? KILL_SPREAD_MS
							 : WINDOW_MS);
}

void group_wait_no_more(struct arbiter_group *g)
{
	unsigned nabsent = g->arbiter->no_more ? 0 : arbiter_count_absent(g);

	if (arbiter_recovers(g->arbiter)) {
		recovery_wait_no_more(g);
		return;
	}
	if (g->restarting && !g->pause.armed)
		loop_arm(loop_of(g), &g->deadline, END_MS);
	if (g->restarting && nabsent)
		group_give_restart_up(g, nabsent);
}

/* Others still run when an exit of 0 is that long ago: a failure like another
 * one, so that a restart may follow. They have had the grace already. */
static void too_early(void *arg)
{
	struct arbiter_group *g = arg;
	struct arbiter *r = g->arbiter;

	g->first = (struct arbiter_failure){.at_ms = loop_now_ms(),
					    .code = EXIT_FAILURE};
	strcpy(g->first.line, g->early_line);
	g->failing = true;
	if (!arbiter_has_groups(r) && why_no_restart(g))
		r->o.grace_s = 0;
	group_decide(g);
}

void group_begin(struct arbiter_group *g)
{
	g->window = (struct loop_timer){.expired = group_decide, .arg = g};
	g->deadline = (struct loop_timer){.expired = too_late, .arg = g};
	g->early = (struct loop_timer){.expired = too_early, .arg = g};
	g->pause = (struct loop_timer){.expired = begin_round, .arg = g};
	restart_pause_begin(&g->pauses, loop_now_ms());
}
