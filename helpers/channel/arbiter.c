/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/arbiter_state.h"

#include "helpers/channel/message.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_MS 100 /* failures that arrive so near compete */
/* The same for a launcher that is gone: when Slurm kills the whole step, its
 * SIGKILL reaches us, too, before that. */
#define LOST_WINDOW_MS 500
#define LEAVE_S	       3 /* beyond the last SIGKILL, for the silent */
#define GONE_CODE      (128 + SIGKILL)
#define END_MS	       ((KILL_AFTER_S + LEAVE_S) * 1000UL) /* after SIGTERM */

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
	loop_disarm(r->o.loop, &r->window);
	loop_disarm(r->o.loop, &r->deadline);
	loop_disarm(r->o.loop, &r->early);
	loop_disarm(r->o.loop, &r->pause);
}

/* --- the end --- */

static void leave(void *arg)
{
	struct arbiter *r = arg;
	char line[ARBITER_LINE_SIZE];

	if (r->over)
		return;
	r->over = true;
	disarm_all(r);
	if (r->decided && r->nkilled)
		r->o.say(r->o.say_arg, line_killed(line, r->nkilled));
	tell_all(r, MSG_LEAVE, r->decided ? r->first.code : 0);
}

static unsigned count_absent(const struct arbiter *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->o.n; i++)
		n += !r->member[i].gone && !r->o.here(r->o.arg, i);
	return n;
}

/* Not all have ended in time. Who hasn't come yet has a part in the next round
 * all the same: it is told to end when it comes. */
static void too_late(void *arg)
{
	struct arbiter *r = arg;

	if (!r->restarting || r->no_more || !count_absent(r))
		leave(r);
}

/* Who is missing would have no part in the restart. */
static void give_restart_up(struct arbiter *r, unsigned nabsent)
{
	char line[ARBITER_LINE_SIZE];

	r->restarting = false;
	r->o.say(r->o.say_arg, line_no_restart(line, nabsent, r->o.n));
}

static void begin_round(void *arg)
{
	struct arbiter *r = arg;

	restart_pause_begin(&r->pauses, loop_now_ms());
	r->restarting = r->decided = r->failing = r->done = false;
	r->nkilled = r->nended = r->nidle = 0;
	for (unsigned i = 0; i < r->o.n; i++)
		r->member[i].ended = r->member[i].idle = false;
	tell_all(r, MSG_GO, (long)++r->o.round);
}

/* Whether somebody still runs, or may yet come. */
static bool is_waiting(const struct arbiter *r)
{
	if (r->nended == r->o.n)
		return false;
	for (unsigned i = 0; i < r->o.n; i++)
		if (!r->member[i].ended &&
		    (!r->no_more || r->o.here(r->o.arg, i)))
			return true;
	return false;
}

void arbiter_check_ended(struct arbiter *r)
{
	/* A failure that still competes is decided first */
	if (is_waiting(r) || (r->failing && !r->decided) || r->deciding)
		return;
	if (!r->restarting) {
		leave(r);
	} else if (!r->pause.armed) {
		loop_disarm(r->o.loop, &r->deadline);
		loop_arm(r->o.loop, &r->pause, r->pauses.next_ms);
	}
}

void arbiter_note_idle(struct arbiter *r, unsigned member)
{
	r->nidle += !r->member[member].idle;
	r->member[member].idle = true;
}

/* Only services run: how they end doesn't count from now on (but: patient). */
void arbiter_check_idle(struct arbiter *r)
{
	if (r->nidle < r->o.n || r->nended == r->o.n || r->done ||
	    (r->failing && !r->decided) || r->deciding)
		return;
	r->done = !r->o.no_deadline;
	loop_disarm(r->o.loop, &r->early);
	arbiter_tell(r, ARBITER_ALL, MSG_DONE, "");
	if (r->done)
		loop_arm(r->o.loop, &r->deadline, END_MS);
}

/* --- the first failure --- */

static bool may_restart(const struct arbiter *r)
{
	if (r->o.round >= r->o.rounds || r->first.step_signalled ||
	    !r->o.restarts_on(r->o.restart_arg, r->first.code))
		return false;
	return !r->ngone;
}

/* What the user reads about it. For `nabsent` members that haven't come there
 * is no restart. */
static void tell_first_failure(struct arbiter *r, unsigned nabsent)
{
	char line[ARBITER_LINE_SIZE];

	if (*r->first.line)
		r->o.say(r->o.say_arg, r->first.line);
	else if (!r->first.step_signalled)
		arbiter_tell(r, r->first.member, MSG_REPORT, "");
	if (nabsent)
		give_restart_up(r, nabsent);
	if (r->restarting)
		r->o.say(r->o.say_arg,
			 line_restart(line, r->o.round + 1, r->o.rounds,
				      restart_pause_next(&r->pauses,
							 loop_now_ms())));
}

/* First the order, then the words: whoever reads them may not read. */
static void decide(void *arg)
{
	struct arbiter *r = arg;
	long after_s, kill_s = KILL_AFTER_S;
	unsigned nabsent;

	disarm_all(r);
	r->decided = r->deciding = true;
	r->restarting = may_restart(r);
	nabsent = r->restarting && r->no_more ? count_absent(r) : 0;
	r->restarting = r->restarting && !nabsent;
	after_s = r->restarting ? 0 : r->o.grace_s;
	if (r->o.start_together && !r->ready.times)
		after_s = kill_s = 0; /* nobody runs yet */
	loop_arm(r->o.loop, &r->deadline,
		 (unsigned long)(after_s + kill_s + LEAVE_S) * 1000);
	tell_all(r, MSG_END, after_s);
	tell_first_failure(r, nabsent);
	r->deciding = false;
	arbiter_check_idle(r);
	arbiter_check_ended(r);
}

/* No round follows. In the pause nobody is left to be waited for. */
static void call_restart_off(struct arbiter *r, const struct arbiter_failure *f)
{
	if (!r->restarting || r->over)
		return;
	r->restarting = false;
	r->first = *f;
	if (*f->line)
		r->o.say(r->o.say_arg, f->line);
	if (r->pause.armed)
		leave(r);
}

void arbiter_told_to_end(struct arbiter *r)
{
	struct arbiter_failure f = {
		.at_ms = loop_now_ms(),
		.code = 128 + SIGTERM,
		.step_signalled = true,
	};

	call_restart_off(r, &f);
}

/* Processes fail because another node's launcher is gone; the other way round
 * doesn't happen, whatever their messages' times are. */
static bool is_earlier(const struct arbiter *r, const struct arbiter_failure *f)
{
	if (f->lost != r->first.lost && f->member != r->first.member)
		return f->lost;
	return f->at_ms < r->first.at_ms;
}

void arbiter_note_failure(struct arbiter *r,
			  const struct arbiter_failure *failure)
{
	if (*failure->line)
		call_restart_off(r, failure);
	if (r->decided || r->done || r->over)
		return;
	if (!r->failing || is_earlier(r, failure))
		r->first = *failure;
	if (r->failing)
		return;
	r->failing = true;
	loop_disarm(r->o.loop, &r->early);
	if (r->o.n == 1)
		decide(r);
	else
		loop_arm(r->o.loop, &r->window,
			 failure->lost ? LOST_WINDOW_MS : WINDOW_MS);
}

void arbiter_stop(struct arbiter *r, const char *line, int code, long after_s)
{
	struct arbiter_failure f = {.at_ms = loop_now_ms(), .code = code};

	snprintf(f.line, sizeof(f.line), "%s", line);
	f.step_signalled = !*line;
	if (r->decided || r->over) {
		call_restart_off(r, &f);
		return;
	}
	r->first = f;
	r->failing = true;
	r->o.rounds = 0;
	r->o.grace_s = after_s;
	decide(r);
}

void arbiter_note_ended(struct arbiter *r, unsigned member)
{
	if (r->member[member].ended)
		return;
	r->member[member].ended = true;
	r->nended++;
	arbiter_note_idle(r, member);
}

void arbiter_lost(struct arbiter *r, unsigned member, const char *who, int why,
		  long silent_s)
{
	struct arbiter_failure f = {.member = member,
				    .at_ms = loop_now_ms(),
				    .code = GONE_CODE,
				    .lost = true};
	const char *rank = r->restarting ? "no restart" : "first failure";

	if (r->member[member].gone || r->over)
		return;
	r->member[member].gone = true;
	r->ngone++;
	if (r->loss == LOSS_NONE)
		r->loss = LOSS_LAUNCHER;
	if (lost_by_silence(why))
		r->loss = LOSS_NODE;
	line_lost(f.line, why, member, who, silent_s, rank);
	arbiter_note_failure(r, &f);
	arbiter_note_ended(r, member);
	arbiter_check_ended(r);
}

void arbiter_wait_no_more(struct arbiter *r)
{
	unsigned nabsent = r->over || r->no_more ? 0 : count_absent(r);

	r->no_more = true;
	if (r->over)
		return;
	if (r->restarting && !r->pause.armed)
		loop_arm(r->o.loop, &r->deadline, END_MS);
	if (r->restarting && nabsent)
		give_restart_up(r, nabsent);
	arbiter_check_ended(r);
}

enum arbiter_loss arbiter_loss(const struct arbiter *r)
{
	return r->loss;
}

struct arbiter *arbiter_new(const struct arbiter_options *options,
			    struct err *err)
{
	struct arbiter *r = calloc(1, sizeof(*r));

	if (r) {
		r->member = calloc(options->n, sizeof(*r->member));
		r->o = *options;
		r->pause =
			(struct loop_timer){.expired = begin_round, .arg = r};
		restart_pause_begin(&r->pauses, loop_now_ms());
		r->window = (struct loop_timer){.expired = decide, .arg = r};
		r->deadline =
			(struct loop_timer){.expired = too_late, .arg = r};
		r->early = (struct loop_timer){.expired = arbiter_too_early,
					       .arg = r};
		if (r->member)
			return r;
	}
	err_memory(err);
	arbiter_free(r);
	return NULL;
}

void arbiter_free(struct arbiter *r)
{
	if (!r)
		return;
	disarm_all(r);
	free(r->member);
	free(r);
}
