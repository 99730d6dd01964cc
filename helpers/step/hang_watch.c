/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key hang (doc/design/helpers-watch.md): when all launchers were quiet
 * for long enough, the stacks of all ranks are looked at, some times; what
 * stands still is a hang.
 */
#include "helpers/arbiter/arbiter.h"
#include "helpers/server/server.h"
#include "helpers/step/hang_clock.h"
#include "helpers/step/hang_report.h"
#include "helpers/step/query.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SIGNS_MS 1000 /* for launchers to tell their signs */
#define STACK_MS 4000 /* to sample their ranks */

/* Between two samples: not the same each time, since a loop has a period. */
static const unsigned pause_ms[SAMPLES_MAX] = {700, 1000, 1300, 900};

struct hang_watch {
	struct controller *c;
	const struct hang *hang;
	struct hang_clock clock;
	unsigned *round;	 /* by member */
	struct loop_timer timer; /* the clock's, or until the next sample */
	struct samples *samples; /* while they are taken; else NULL */
	struct query *query;	 /* one of them */
	struct stacks *stacks;	 /* of the newest one */
	struct dumps *dumps;	 /* that are waited for before it acts */
	uint64_t since_ms;	 /* of the hang that is looked at */
	bool said_blind;
};

static uint64_t now_ms(void)
{
	return loop_now_ms();
}

static void arm(struct hang_watch *w)
{
	uint64_t due = hang_clock_due(&w->clock), now = now_ms();
	struct loop *loop = w->c->loop;

	if (w->samples)
		return; /* the timer is theirs */
	if (due == HANG_NEVER)
		loop_disarm(loop, &w->timer);
	else
		loop_arm(loop, &w->timer, due > now ? due - now : 0);
}

static void end_samples(struct hang_watch *w)
{
	if (w->query)
		query_drop(w->query);
	w->query = NULL;
	if (w->dumps)
		dumps_drop(w->dumps);
	w->dumps = NULL;
	samples_free(w->samples);
	w->samples = NULL;
	stacks_free(w->stacks);
	w->stacks = NULL;
	loop_disarm(w->c->loop, &w->timer);
}

/* --- what follows --- */

/* The node's name is the server's own text. */
static void condemn(struct hang_watch *w)
{
	struct server *server = controller_server(w->c);
	char why[256];
	const char *node = hang_node(w->stacks, why, sizeof(why));
	unsigned member = server_member_on(server, node);

	if (member != MEMBER_NONE)
		server_handle(server, member, MSG_CONDEMNED, why, strlen(why));
}

/* Of each launcher, since groups of them have rounds of their own: as if it had
 * told that its first failure was that. */
static void fail_all(struct hang_watch *w)
{
	struct server *server = controller_server(w->c);
	char text[64];
	int n;

	for (unsigned i = 0; i < w->clock.n; i++) {
		if (w->clock.member[i].state == RANKS_GONE)
			continue;
		n = snprintf(text, sizeof(text), "%u %d 0 0", w->round[i],
			     HANG_CODE);
		server_handle(server, i, MSG_FAILED, text, (size_t)n);
	}
}

/* As far as it is known here: replica groups count their own restarts. */
static bool is_last_round(const struct controller *c)
{
	const struct plan *plan = c->plan;
	long n = plan->resolved.recovery
			 ? arbiter_restarts(controller_arbiter(c))
			 : c->job->round;

	return !plan->nreplicas &&
	       n >= request_number(plan->request, KEY_RESTARTS);
}

/* A node that is to blame costs a spare, not a restart. */
static enum hang_follows decide(const struct hang_watch *w)
{
	char why[256];

	if (w->hang->act == HANG_FAIL)
		return HANG_ENDS;
	if (w->hang->act != HANG_RESTART)
		return HANG_GOES_ON;
	if (arbiter_spares(controller_arbiter(w->c)) &&
	    hang_node(w->stacks, why, sizeof(why)))
		return HANG_REPLACES;
	return is_last_round(w->c) ? HANG_NO_RESTART : HANG_RESTARTS;
}

static void say_report(struct hang_watch *w)
{
	const struct job *job = w->c->job;
	cleanup_free char *text = NULL;
	char step[64];

	snprintf(step, sizeof(step), "%lu.%lu", (unsigned long)job->job_id,
		 (unsigned long)job->step_id);
	text = hang_report(&(struct hang_facts){
		.hang = w->hang,
		.follows = decide(w),
		.step = step,
		.quiet_ms = now_ms() - w->since_ms,
		.normal_ms = w->clock.gap_ms,
		.samples = w->samples,
		.stacks = w->stacks,
	});
	if (!text)
		return;
	w->c->say(w->c->arg, text);
	record_add_text(w->c, MARK_HANG, hang_suspect(w->stacks), text);
}

static void act(struct hang_watch *w)
{
	enum hang_follows follows = decide(w);

	if (follows == HANG_REPLACES)
		condemn(w);
	end_samples(w);
	if (follows == HANG_RESTARTS || follows == HANG_NO_RESTART)
		fail_all(w);
	if (follows == HANG_ENDS)
		controller_stop(w->c, HANG_CODE, "");
}

/* Somebody may work again by now. */
static void dumps_done(void *arg)
{
	struct hang_watch *w = arg;

	w->dumps = NULL;
	if (hang_clock_since(&w->clock) == w->since_ms)
		act(w);
	end_samples(w);
	arm(w);
}

/* What recorders tell is asked for before the processes are ended. */
static void report(struct hang_watch *w)
{
	w->clock.known = true;
	say_report(w);
	w->dumps = dumps_ask(w->c, w->stacks, dumps_done, w);
	if (!w->dumps)
		act(w);
}

/* Once: a person may install a tool. */
static void say_blind(struct hang_watch *w)
{
	long rank = samples_blind(w->samples);
	char line[512];

	if (w->said_blind)
		return;
	w->said_blind = true;
	if (rank >= 0)
		snprintf(line, sizeof(line),
			 "dist-train: hang=%ld: no rank moves a byte, but rank "
			 "%ld uses CPU, and without its stack that can't be "
			 "told from work: install py-spy beside the program's "
			 "Python\n",
			 w->hang->seconds, rank);
	else
		snprintf(line, sizeof(line),
			 "dist-train: hang=%ld: no rank moves a byte, but not "
			 "all nodes have told their stacks in time: nothing is "
			 "done\n",
			 w->hang->seconds);
	w->c->say(w->c->arg, line);
}

static void take_one(struct hang_watch *w);

static void judge(struct hang_watch *w)
{
	cleanup_free bool *wanted = calloc(w->clock.n, sizeof(*wanted));
	enum samples_verdict v;

	for (unsigned i = 0; wanted && i < w->clock.n; i++)
		wanted[i] = w->clock.member[i].state != RANKS_GONE;
	v = wanted ? samples_judge(w->samples, wanted) : SAMPLES_MOVES;
	if (v == SAMPLES_MORE) {
		loop_arm(w->c->loop, &w->timer,
			 pause_ms[samples_count(w->samples) - 1]);
		return;
	}
	if (v == SAMPLES_HANG || (v == SAMPLES_STARTS && w->clock.starting)) {
		report(w);
		arm(w);
		return;
	}
	if (v == SAMPLES_BLIND)
		say_blind(w);
	if (v == SAMPLES_STARTS)
		hang_clock_starts(&w->clock);
	else
		hang_clock_works(&w->clock, now_ms());
	end_samples(w);
	arm(w);
}

/* --- samples --- */

static void on_stack(void *arg, unsigned member, const char *node,
		     const char *rows)
{
	struct hang_watch *w = arg;
	struct err ignored;

	stacks_add(w->stacks, node, rows, &ignored);
	samples_add(w->samples, member, rows);
}

static void on_signs(void *arg, unsigned member, const char *node,
		     const char *rows)
{
	struct hang_watch *w = arg;
	cleanup_free char *copy = strdup(rows);

	(void)node;
	if (copy)
		samples_signs(w->samples, member, copy);
}

static void stack_done(void *arg)
{
	struct hang_watch *w = arg;

	w->query = NULL;
	judge(w);
}

static void signs_done(void *arg)
{
	struct hang_watch *w = arg;

	w->query = NULL;
	take_one(w);
}

/* Nothing is known without memory: later again. */
static void give_up(struct hang_watch *w)
{
	hang_clock_works(&w->clock, now_ms());
	end_samples(w);
	arm(w);
}

static void take_one(struct hang_watch *w)
{
	struct query_calls calls = {
		.seen = on_stack, .done = stack_done, .arg = w};

	stacks_free(w->stacks);
	w->stacks = stacks_new();
	samples_begin(w->samples);
	if (w->stacks)
		w->query = query_begin(w->c, "stack", STACK_MS, &calls);
	if (!w->query)
		give_up(w);
}

static void begin_samples(struct hang_watch *w)
{
	struct query_calls calls = {
		.seen = on_signs, .done = signs_done, .arg = w};

	w->since_ms = hang_clock_since(&w->clock);
	w->samples = samples_new(w->clock.n);
	if (w->samples)
		w->query = query_begin(w->c, "signs", SIGNS_MS, &calls);
	if (!w->query)
		give_up(w);
}

static void on_timer(void *arg)
{
	struct hang_watch *w = arg;

	if (w->samples)
		take_one(w);
	else
		begin_samples(w);
}

/* --- what launchers tell --- */

/* Somebody works, or has gone: what was sampled doesn't count any more. */
static void note(struct hang_watch *w, unsigned member, enum quiet_state state,
		 uint64_t ms)
{
	hang_clock_note(&w->clock, member, state, ms, now_ms());
	if (w->samples && !w->dumps &&
	    hang_clock_since(&w->clock) != w->since_ms)
		end_samples(w);
	arm(w);
}

/* ROUND STATE MS */
static void on_quiet(void *arg, unsigned member, const char *text)
{
	struct hang_watch *w = ((struct controller *)arg)->hang;
	long round, state, ms;

	if (member >= w->clock.n ||
	    message_number(&text, 0, INT_MAX, &round) < 0 ||
	    message_number(&text, RANKS_GONE, RANKS_QUIET, &state) < 0 ||
	    message_number(&text, 0, LONG_MAX, &ms) < 0)
		return;
	w->round[member] = (unsigned)round;
	note(w, member, (enum quiet_state)state, (uint64_t)ms);
}

/* Who isn't here any more isn't waited for. */
static void on_lost(struct controller *c, unsigned member)
{
	struct hang_watch *w = c->hang;

	if (member < w->clock.n && w->clock.member[member].state != RANKS_GONE)
		note(w, member, RANKS_GONE, 0);
}

/* What is looked at is no hang any more. */
static void on_leave(struct controller *c)
{
	end_samples(c->hang);
	arm(c->hang);
}

/* --- the part --- */

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.hang.seconds;
}

static int open(struct controller *c, struct err *err)
{
	const struct hang *hang = &c->plan->resolved.hang;
	unsigned n = c->members->ntasks;
	struct hang_watch *w = c->hang = calloc(1, sizeof(*w));

	if (!w)
		return err_memory(err);
	w->c = c;
	w->hang = hang;
	w->timer = (struct loop_timer){.expired = on_timer, .arg = w};
	w->round = calloc(n, sizeof(*w->round));
	if (!w->round)
		return err_memory(err);
	return hang_clock_open(&w->clock, n, (uint64_t)hang->seconds * 1000,
			       err);
}

static void close_hang(struct controller *c)
{
	struct hang_watch *w = c->hang;

	if (!w)
		return;
	end_samples(w);
	hang_clock_close(&w->clock);
	free(w->round);
	free(w);
	c->hang = NULL;
}

const struct step_part hang_of_step = {
	.name = "hang",
	.wanted = is_wanted,
	.open = open,
	.close = close_hang,
	.told =
		(const struct subscription[]){
			{.type = MSG_QUIET, .take = on_quiet}, {0}},
	.leave = on_leave,
	.lost = on_lost,
};
