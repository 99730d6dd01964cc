/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/arbiter_state.h"

#include "helpers/roster/roster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void arbiter_tell(struct arbiter *r, unsigned member, char type,
		  const char *text)
{
	r->o.send(r->o.arg, member, type, text, strlen(text));
}

static void tell_all(struct arbiter *r, char type, long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", n);
	arbiter_tell(r, ARBITER_ALL, type, text);
}

static void disarm_all(struct arbiter *r)
{
	for (unsigned i = 0; i < r->ngroups; i++)
		group_disarm(&r->group[i]);
	loop_disarm(r->o.loop, &r->close_by);
	loop_disarm(r->o.loop, &r->spares_lost);
}

/* --- the end --- */

static const struct arbiter_failure *first_failure(const struct arbiter *r)
{
	if (arbiter_has_groups(r))
		return r->failed;
	return r->group->decided ? &r->group->first : NULL;
}

void arbiter_leave(struct arbiter *r)
{
	const struct arbiter_failure *first = first_failure(r);
	char line[ARBITER_LINE_SIZE];

	if (r->over)
		return;
	r->over = true;
	disarm_all(r);
	if (first && r->nkilled)
		r->o.say(r->o.say_arg, line_killed(line, r->nkilled));
	tell_all(r, MSG_LEAVE, first ? first->code : 0);
}

static void on_close_by(void *arg)
{
	arbiter_leave(arg);
}

/* The words come before the end. */
static bool is_deciding(const struct arbiter *r)
{
	for (unsigned i = 0; i < r->ngroups; i++)
		if (r->group[i].deciding)
			return true;
	return false;
}

void arbiter_check_closing(struct arbiter *r)
{
	if (!r->closing || is_deciding(r))
		return;
	for (unsigned i = 0; i < r->o.n; i++)
		if (!r->member[i].ended &&
		    (!r->no_more || r->o.here(r->o.arg, i)))
			return;
	arbiter_leave(r);
}

unsigned arbiter_count_able(const struct arbiter *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->ngroups; i++)
		n += !r->group[i].given_up;
	return n;
}

/* From now on only ends are waited for. */
static void begin_closing(struct arbiter *r, long after_s, long kill_s)
{
	for (unsigned i = 0; i < r->ngroups; i++) {
		group_disarm(&r->group[i]);
		r->group[i].restarting = false;
		r->group[i].over = true;
	}
	r->closing = true;
	loop_arm(r->o.loop, &r->close_by,
		 (unsigned long)(after_s + kill_s + LEAVE_S) * 1000);
}

void arbiter_close_failed(struct arbiter_group *g, long after_s)
{
	struct arbiter *r = g->arbiter;
	bool started = !r->o.start_together || r->ready.times;

	if (r->closing)
		return;
	r->failed = &g->first;
	after_s = started ? after_s : 0; /* nobody runs yet */
	begin_closing(r, after_s, started ? KILL_AFTER_S : 0);
	tell_all(r, MSG_END, after_s);
}

void arbiter_group_is_over(struct arbiter_group *g)
{
	struct arbiter *r = g->arbiter;

	g->over = true;
	group_disarm(g);
	if (r->closing)
		return;
	for (unsigned i = 0; i < r->ngroups; i++)
		if (!r->group[i].over)
			return;
	begin_closing(r, 0, KILL_AFTER_S);
	arbiter_tell(r, ARBITER_ALL, MSG_DONE, "");
	arbiter_check_closing(r);
}

/* --- for a reason outside of the step's processes --- */

static void stop_groups(struct arbiter *r, const struct arbiter_failure *f,
			long after_s)
{
	if (r->closing || r->over)
		return;
	r->group->first = *f;
	r->group->deciding = true;
	arbiter_close_failed(r->group, after_s);
	if (*f->line)
		r->o.say(r->o.say_arg, f->line);
	r->group->deciding = false;
	arbiter_check_closing(r);
}

static void stop_all(struct arbiter *r, const struct arbiter_failure *f,
		     long after_s)
{
	struct arbiter_group *g = r->group;

	if (g->decided || r->over) {
		group_call_restart_off(g, f);
		return;
	}
	g->first = *f;
	g->failing = g->stopped = true;
	r->o.rounds = 0;
	r->o.grace_s = after_s;
	group_decide(g);
}

void arbiter_stop(struct arbiter *r, const char *line, int code, long after_s)
{
	struct arbiter_failure f = {.at_ms = loop_now_ms(), .code = code};

	snprintf(f.line, sizeof(f.line), "%s", line);
	f.step_signalled = !*line;
	if (arbiter_has_groups(r))
		stop_groups(r, &f, after_s);
	else
		stop_all(r, &f, after_s);
}

void arbiter_lost(struct arbiter *r, unsigned member, const char *who, int why,
		  long silent_s)
{
	struct arbiter_group *g = r->member[member].group;
	struct arbiter_failure f = {.member = member,
				    .at_ms = loop_now_ms(),
				    .code = GONE_CODE,
				    .lost = true,
				    .gone = !lost_by_silence(why)};
	const char *rank = arbiter_recovers(r) ? ""
			   : g->restarting     ? " (no restart)"
					       : " (first failure)";

	if (r->member[member].gone || r->over)
		return;
	r->member[member].gone = true;
	g->ngone++;
	if (r->loss == LOSS_NONE)
		r->loss = LOSS_LAUNCHER;
	if (lost_by_silence(why))
		r->loss = LOSS_NODE;
	line_lost(f.line, why, r->o.by_node ? MEMBER_NONE : member, who,
		  silent_s, rank);
	if (arbiter_recovers(r)) {
		recovery_note_lost(r, &f);
		return;
	}
	if (f.gone && r->interrupted_ms &&
	    f.at_ms - r->interrupted_ms < INTERRUPTED_MS)
		arbiter_failure_excuse(&f);
	group_note_failure(g, &f);
	group_note_ended(r, member);
	group_check_ended(g);
	arbiter_check_closing(r);
}

void arbiter_interrupted(struct arbiter *r)
{
	r->interrupted_ms = loop_now_ms();
	for (unsigned i = 0; i < r->ngroups; i++)
		if (r->group[i].window.armed && r->group[i].first.gone)
			arbiter_failure_excuse(&r->group[i].first);
}

void arbiter_wait_no_more(struct arbiter *r)
{
	if (r->over)
		return;
	for (unsigned i = 0; i < r->ngroups && !r->over; i++)
		group_wait_no_more(&r->group[i]);
	r->no_more = true;
	for (unsigned i = 0; i < r->ngroups && !r->over; i++)
		group_check_ended(&r->group[i]);
	arbiter_check_closing(r);
}

enum arbiter_loss arbiter_loss(const struct arbiter *r)
{
	return r->loss;
}

bool arbiter_requeues(const struct arbiter *r)
{
	return r->group->fate == ROSTER_REQUEUE;
}

unsigned arbiter_round(const struct arbiter *r)
{
	return r->group->round;
}

unsigned arbiter_restarts(const struct arbiter *r)
{
	return r->group->nrestarts;
}

unsigned arbiter_spares(const struct arbiter *r)
{
	return arbiter_recovers(r) ? roster_count_spares(r->o.recovery->roster)
				   : 0;
}

/* --- opening and closing --- */

static void make_groups(struct arbiter *r)
{
	for (unsigned i = 0; i < r->ngroups; i++) {
		r->group[i].arbiter = r;
		r->group[i].number = i;
		r->group[i].round = r->o.round;
		group_begin(&r->group[i]);
	}
	for (unsigned i = 0; i < r->o.n; i++) {
		struct arbiter_group *g =
			&r->group[arbiter_has_groups(r) ? r->o.group[i] : 0];

		r->member[i].group = g;
		g->n++;
	}
	r->o.group = NULL;
}

struct arbiter *arbiter_new(const struct arbiter_options *options,
			    struct err *err)
{
	struct arbiter *r = calloc(1, sizeof(*r));

	if (r) {
		r->o = *options;
		r->ngroups = options->ngroups ? options->ngroups : 1;
		r->member = calloc(options->n, sizeof(*r->member));
		r->group = calloc(r->ngroups, sizeof(*r->group));
		r->close_by =
			(struct loop_timer){.expired = on_close_by, .arg = r};
		if (r->member && r->group) {
			make_groups(r);
			if (arbiter_recovers(r))
				recovery_begin(r);
			return r;
		}
	}
	err_memory(err);
	arbiter_free(r);
	return NULL;
}

void arbiter_free(struct arbiter *r)
{
	if (!r)
		return;
	if (r->group)
		disarm_all(r);
	free(r->member);
	free(r->group);
	free(r);
}
