/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the arbiter is: when all launchers have been quiet for long enough, the
 * stacks of all ranks are looked at, some times; what stands still is a hang.
 */
#include "core/base/cleanup.h"
#include "helpers/conn/message.h"
#include "helpers/launch/note.h"
#include "helpers/launch/step.h"
#include "helpers/look/look.h"
#include "helpers/watch/dumps.h"
#include "helpers/watch/hang_report.h"
#include "helpers/watch/watch_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNS_MS 1000 /* for launchers to tell their signs */
#define STACK_MS 4000 /* to sample their ranks */

/* Between two samples: not the same each time, since a loop has a period. */
static const unsigned pause_ms[SAMPLES_MAX] = {700, 1000, 1300, 900};

static uint64_t now_ms(void)
{
	return loop_now_ms();
}

static void arm(struct watch *w)
{
	uint64_t due = hang_clock_due(&w->centre.clock), now = now_ms();
	struct loop *loop = w->v->loop;

	if (w->centre.samples)
		return; /* the timer is theirs */
	if (due == HANG_NEVER)
		loop_disarm(loop, &w->centre.timer);
	else
		loop_arm(loop, &w->centre.timer, due > now ? due - now : 0);
}

static void end_samples(struct watch *w)
{
	struct watch_centre *c = &w->centre;

	if (c->looking)
		looking_drop(c->looking);
	c->looking = NULL;
	if (c->dumps)
		dumps_drop(c->dumps);
	c->dumps = NULL;
	samples_free(c->samples);
	c->samples = NULL;
	stacks_free(c->stacks);
	c->stacks = NULL;
	loop_disarm(w->v->loop, &c->timer);
}

/* --- what follows --- */

/* The node's name is the session's own text. */
static void condemn(struct watch *w)
{
	struct session *session = w->v->session;
	char why[256];
	const char *node = hang_node(w->centre.stacks, why, sizeof(why));

	session_condemn(session, session_member_on(session, node), why);
}

/* Of each launcher, since groups of them have rounds of their own. */
static void fail_all(struct watch *w)
{
	struct watch_centre *c = &w->centre;

	for (unsigned i = 0; i < c->clock.n; i++)
		if (c->clock.member[i].state != MEMBER_GONE)
			session_fail(w->v->session, i, c->round[i], HANG_CODE);
}

/* As far as it is known here: replica groups count their own restarts. */
static bool is_last_round(const struct launch_view *v)
{
	long n = v->plan->resolved.recovery ? session_restarts(v->session)
					    : v->job->round;

	return !v->plan->nreplicas &&
	       n >= request_number(v->request, KEY_RESTARTS);
}

/* A node that is to blame costs a spare, not a restart. */
static enum hang_follows decide(const struct watch *w)
{
	const struct launch_view *v = w->v;
	char why[256];

	if (w->hang.act == HANG_FAIL)
		return HANG_ENDS;
	if (w->hang.act != HANG_RESTART)
		return HANG_GOES_ON;
	if (session_spares(v->session) &&
	    hang_node(w->centre.stacks, why, sizeof(why)))
		return HANG_REPLACES;
	return is_last_round(v) ? HANG_NO_RESTART : HANG_RESTARTS;
}

static void say_report(struct watch *w)
{
	struct watch_centre *c = &w->centre;
	const struct job *job = w->v->job;
	cleanup_free char *text = NULL;
	char step[64];

	snprintf(step, sizeof(step), "%lu.%lu", (unsigned long)job->job_id,
		 (unsigned long)job->step_id);
	text = hang_report(&(struct hang_facts){
		.hang = &w->hang,
		.follows = decide(w),
		.step = step,
		.quiet_ms = now_ms() - c->since_ms,
		.normal_ms = c->clock.gap_ms,
		.samples = c->samples,
		.stacks = c->stacks,
	});
	if (!text)
		return;
	launch_say(w->v->launch, text);
	note_text(w->v->launch, MARK_HANG, hang_suspect(c->stacks), text);
}

static void act(struct watch *w)
{
	enum hang_follows follows = decide(w);

	if (follows == HANG_REPLACES)
		condemn(w);
	end_samples(w);
	if (follows == HANG_RESTARTS || follows == HANG_NO_RESTART)
		fail_all(w);
	if (follows == HANG_ENDS)
		launch_stop(w->v->launch, HANG_CODE, 0, "");
}

/* Somebody may work again by now. */
static void dumps_done(void *arg)
{
	struct watch *w = arg;
	struct watch_centre *c = &w->centre;

	c->dumps = NULL;
	if (hang_clock_since(&c->clock) == c->since_ms)
		act(w);
	end_samples(w);
	arm(w);
}

/* What recorders tell is asked for before the processes are ended. */
static void report(struct watch *w)
{
	struct watch_centre *c = &w->centre;

	c->clock.known = true;
	say_report(w);
	c->dumps = dumps_ask(w->v, c->stacks, dumps_done, w);
	if (!c->dumps)
		act(w);
}

/* Once: a person may install a tool. */
static void say_blind(struct watch *w)
{
	long rank = samples_blind(w->centre.samples);
	char line[512];

	if (w->centre.said_blind)
		return;
	w->centre.said_blind = true;
	if (rank >= 0)
		snprintf(line, sizeof(line),
			 "dist-train: hang=%ld: no rank moves a byte, but rank "
			 "%ld uses CPU, and without its stack that can't be "
			 "told from work: install py-spy beside the program's "
			 "Python\n",
			 w->hang.seconds, rank);
	else
		snprintf(line, sizeof(line),
			 "dist-train: hang=%ld: no rank moves a byte, but not "
			 "all nodes have told their stacks in time: nothing is "
			 "done\n",
			 w->hang.seconds);
	launch_say(w->v->launch, line);
}

static void take_one(struct watch *w);

static void judge(struct watch *w)
{
	struct watch_centre *c = &w->centre;
	cleanup_free bool *wanted = calloc(c->clock.n, sizeof(*wanted));
	enum samples_verdict v;

	for (unsigned i = 0; wanted && i < c->clock.n; i++)
		wanted[i] = c->clock.member[i].state != MEMBER_GONE;
	v = wanted ? samples_judge(c->samples, wanted) : SAMPLES_MOVES;
	if (v == SAMPLES_MORE) {
		loop_arm(w->v->loop, &c->timer,
			 pause_ms[samples_count(c->samples) - 1]);
		return;
	}
	if (v == SAMPLES_HANG || (v == SAMPLES_STARTS && c->clock.starting)) {
		report(w);
		arm(w);
		return;
	}
	if (v == SAMPLES_BLIND)
		say_blind(w);
	if (v == SAMPLES_STARTS)
		hang_clock_starts(&c->clock);
	else
		hang_clock_works(&c->clock, now_ms());
	end_samples(w);
	arm(w);
}

/* --- samples --- */

static void on_stack(void *arg, unsigned member, const char *node,
		     const char *rows)
{
	struct watch *w = arg;
	cleanup_free char *copy = strdup(rows);
	struct err ignored;

	stacks_add(w->centre.stacks, node, rows, &ignored);
	if (copy)
		samples_add(w->centre.samples, member, copy);
}

static void on_signs(void *arg, unsigned member, const char *node,
		     const char *rows)
{
	struct watch *w = arg;
	cleanup_free char *copy = strdup(rows);

	(void)node;
	if (copy)
		samples_signs(w->centre.samples, member, copy);
}

static void stack_done(void *arg)
{
	struct watch *w = arg;

	w->centre.looking = NULL;
	judge(w);
}

static void signs_done(void *arg)
{
	struct watch *w = arg;

	w->centre.looking = NULL;
	take_one(w);
}

/* Nothing is known without memory: later again. */
static void give_up(struct watch *w)
{
	hang_clock_works(&w->centre.clock, now_ms());
	end_samples(w);
	arm(w);
}

static void take_one(struct watch *w)
{
	struct watch_centre *c = &w->centre;
	struct looking_calls calls = {
		.seen = on_stack, .done = stack_done, .arg = w};

	stacks_free(c->stacks);
	c->stacks = stacks_new();
	samples_begin(c->samples);
	if (c->stacks)
		c->looking = looking_begin(w->v, "stack", STACK_MS, &calls);
	if (!c->looking)
		give_up(w);
}

static void begin_samples(struct watch *w)
{
	struct watch_centre *c = &w->centre;
	struct looking_calls calls = {
		.seen = on_signs, .done = signs_done, .arg = w};

	c->since_ms = hang_clock_since(&c->clock);
	c->samples = samples_new(c->clock.n);
	if (c->samples)
		c->looking = looking_begin(w->v, "signs", SIGNS_MS, &calls);
	if (!c->looking)
		give_up(w);
}

static void on_timer(void *arg)
{
	struct watch *w = arg;

	if (w->centre.samples)
		take_one(w);
	else
		begin_samples(w);
}

/* --- what launchers tell --- */

/* Somebody works, or has gone: what was sampled doesn't count any more. */
static void note(struct watch *w, unsigned member, enum hang_member state,
		 uint64_t ms)
{
	struct watch_centre *c = &w->centre;

	hang_clock_note(&c->clock, member, state, ms, now_ms());
	if (c->samples && !c->dumps &&
	    hang_clock_since(&c->clock) != c->since_ms)
		end_samples(w);
	arm(w);
}

void watch_centre_leave(struct watch *w)
{
	end_samples(w);
	arm(w);
}

void watch_centre_check(struct watch *w)
{
	struct watch_centre *c = &w->centre;

	for (unsigned i = 0; i < c->clock.n; i++)
		if (c->clock.member[i].state != MEMBER_GONE &&
		    !session_node_of(w->v->session, i))
			note(w, i, MEMBER_GONE, 0);
}

void watch_hear(void *arg, unsigned member, const char *text)
{
	struct watch *w = launch_view(arg)->watch;
	long round, state, ms;

	if (!w || member >= w->centre.clock.n ||
	    message_number(&text, 0, INT_MAX, &round) < 0 ||
	    message_number(&text, MEMBER_GONE, MEMBER_QUIET, &state) < 0 ||
	    message_number(&text, 0, LONG_MAX, &ms) < 0)
		return;
	w->centre.round[member] = (unsigned)round;
	note(w, member, (enum hang_member)state, (uint64_t)ms);
}

/* --- opening --- */

int watch_centre_open(struct watch *w, struct err *err)
{
	struct watch_centre *c = &w->centre;
	unsigned n = w->v->members->ntasks;

	c->timer = (struct loop_timer){.expired = on_timer, .arg = w};
	c->round = calloc(n, sizeof(*c->round));
	if (!c->round)
		return err_memory(err);
	return hang_clock_open(&c->clock, n, (uint64_t)w->hang.seconds * 1000,
			       err);
}

void watch_centre_close(struct watch *w)
{
	end_samples(w);
	hang_clock_close(&w->centre.clock);
	free(w->centre.round);
}
