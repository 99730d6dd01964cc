/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/referee.h"

#include "helpers/barrier.h"
#include "helpers/collect.h"
#include "helpers/crew.h"
#include "helpers/referee_lines.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_MS   100 /* failures that arrive so near compete */
#define LEAVE_S	    3 /* beyond the last SIGKILL, for those who don't answer */
#define GONE_CODE   (128 + SIGKILL)
#define AFTER_MAX_S (1L << 30) /* that a member may ask for */

struct member {
	unsigned ready; /* how often */
	bool idle, ended, gone;
};

struct failure {
	unsigned member;
	unsigned long long at_ms; /* on this node's clock */
	int code;
	bool quiet;
	char line[REFEREE_LINE_SIZE]; /* to say; "": the member reports */
};

struct referee {
	struct referee_options o;
	struct member *member;
	struct collect *facts;
	struct barrier ready; /* for MSG_GO */
	char go[64];	      /* the first one's text; "": without address */
	unsigned nidle, nended, ngone;
	unsigned long nkilled; /* processes that were ended for the others */
	bool failing, decided, restarting, done, over;
	enum referee_loss loss;
	struct failure first;
	struct loop_timer window, deadline, early;
	char early_line[REFEREE_LINE_SIZE];
};

static void send_text(struct referee *r, unsigned member, char type,
		      const char *text)
{
	r->o.send(r->o.arg, member, type, text, strlen(text));
}

static void send_number(struct referee *r, unsigned member, char type, long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", n);
	send_text(r, member, type, text);
}

static void disarm_all(struct referee *r)
{
	loop_disarm(r->o.loop, &r->window);
	loop_disarm(r->o.loop, &r->deadline);
	loop_disarm(r->o.loop, &r->early);
}

/* --- the end --- */

static void leave(void *arg)
{
	struct referee *r = arg;
	char line[REFEREE_LINE_SIZE];

	if (r->over)
		return;
	r->over = true;
	disarm_all(r);
	if (r->decided && r->nkilled)
		r->o.say(r->o.arg, line_killed(line, r->nkilled));
	send_number(r, REFEREE_ALL, MSG_LEAVE, r->decided ? r->first.code : 0);
}

static void begin_round(struct referee *r)
{
	loop_disarm(r->o.loop, &r->deadline);
	r->restarting = r->decided = r->failing = r->done = false;
	r->nkilled = r->nended = r->nidle = 0;
	for (unsigned i = 0; i < r->o.n; i++)
		r->member[i].ended = r->member[i].idle = false;
	send_number(r, REFEREE_ALL, MSG_GO, (long)++r->o.round);
}

static void when_all_ended(struct referee *r)
{
	/* A failure that still competes is decided first */
	if (r->nended < r->o.n || (r->failing && !r->decided))
		return;
	if (r->restarting)
		begin_round(r);
	else
		leave(r);
}

static void note_idle(struct referee *r, unsigned member)
{
	r->nidle += !r->member[member].idle;
	r->member[member].idle = true;
}

/* Only services run: how they end doesn't count from now on (but: patient). */
static void when_all_idle(struct referee *r)
{
	if (r->nidle < r->o.n || r->nended == r->o.n || r->done ||
	    (r->failing && !r->decided))
		return;
	r->done = !r->o.patient;
	loop_disarm(r->o.loop, &r->early);
	send_text(r, REFEREE_ALL, MSG_DONE, "");
	if (r->done)
		loop_arm(r->o.loop, &r->deadline,
			 (unsigned long)(CREW_KILL_S + LEAVE_S) * 1000);
}

/* --- the first failure --- */

static bool may_restart(const struct referee *r)
{
	if (r->o.round >= r->o.rounds || r->first.quiet ||
	    !r->o.restarts_on(r->o.restart_arg, r->first.code))
		return false;
	return !r->ngone;
}

static void decide(void *arg)
{
	struct referee *r = arg;
	long after_s, kill_s = CREW_KILL_S;
	char line[REFEREE_LINE_SIZE];

	disarm_all(r);
	r->decided = true;
	if (*r->first.line)
		r->o.say(r->o.arg, r->first.line);
	else if (!r->first.quiet)
		send_text(r, r->first.member, MSG_REPORT, "");
	r->restarting = may_restart(r);
	after_s = r->restarting ? 0 : r->o.grace_s;
	if (r->restarting)
		r->o.say(r->o.arg,
			 line_restart(line, r->o.round + 1, r->o.rounds));
	if (r->o.together && !r->ready.times)
		after_s = kill_s = 0; /* nobody runs yet */
	/* Armed first: the answer of our own launcher may begin a round */
	loop_arm(r->o.loop, &r->deadline,
		 (unsigned long)(after_s + kill_s + LEAVE_S) * 1000);
	send_number(r, REFEREE_ALL, MSG_END, after_s);
	when_all_idle(r);
	when_all_ended(r);
}

/* A loss or a stop, which have a line, call a restart off: none survives it. */
static void note_failure(struct referee *r, const struct failure *failure)
{
	if (r->restarting && !r->over && *failure->line) {
		r->restarting = false;
		r->first = *failure;
		r->o.say(r->o.arg, r->first.line);
	}
	if (r->decided || r->done || r->over)
		return;
	if (!r->failing || failure->at_ms < r->first.at_ms)
		r->first = *failure;
	if (r->failing)
		return;
	r->failing = true;
	loop_disarm(r->o.loop, &r->early);
	if (r->o.n == 1)
		decide(r);
	else
		loop_arm(r->o.loop, &r->window, WINDOW_MS);
}

static void hear_failed(struct referee *r, unsigned member, const char *data)
{
	struct failure f = {.member = member};
	unsigned long age_ms;
	unsigned round, quiet;

	if (sscanf(data, "%u %d %lu %u", &round, &f.code, &age_ms, &quiet) !=
		    4 ||
	    round != r->o.round || f.code < 1 || f.code > 255)
		return;
	f.at_ms = loop_now_ms() - age_ms;
	f.quiet = quiet;
	note_failure(r, &f);
}

void referee_stop(struct referee *r, const char *line, int code, long after_s)
{
	struct failure f = {.at_ms = loop_now_ms(), .code = code};

	snprintf(f.line, sizeof(f.line), "%s", line);
	f.quiet = !*line;
	if (r->decided || r->over) {
		note_failure(r, &f);
		return;
	}
	r->first = f;
	r->failing = true;
	r->o.rounds = 0;
	r->o.grace_s = after_s;
	decide(r);
}

static void hear_stop(struct referee *r, const char *data)
{
	char line[REFEREE_LINE_SIZE];
	int code, at;
	long after_s;

	if (sscanf(data, "%d %ld %n", &code, &after_s, &at) != 2 || code < 1 ||
	    code > 255 || after_s < 0 || after_s > AFTER_MAX_S)
		return;
	referee_stop(r, line_stop(line, data + at), code, after_s);
}

static void note_ended(struct referee *r, unsigned member)
{
	if (r->member[member].ended)
		return;
	r->member[member].ended = true;
	r->nended++;
	note_idle(r, member);
}

void referee_lost(struct referee *r, unsigned member, const char *who, int why,
		  long lease_s)
{
	struct failure f = {member, loop_now_ms(), GONE_CODE, false, ""};
	const char *rank = r->restarting ? "no restart" : "first failure";

	if (r->member[member].gone || r->over)
		return;
	r->member[member].gone = true;
	r->ngone++;
	if (r->loss == LOSS_NONE)
		r->loss = LOSS_LAUNCHER;
	if (why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH)
		r->loss = LOSS_NODE;
	line_lost(f.line, r->loss == LOSS_NODE, member, who, lease_s, rank);
	note_failure(r, &f);
	note_ended(r, member);
	when_all_ended(r);
}

/* --- exits of 0 --- */

static void too_early(void *arg)
{
	struct referee *r = arg;

	referee_stop(r, r->early_line, EXIT_FAILURE, 0);
}

static void hear_early(struct referee *r, const char *data)
{
	unsigned round;
	int at;

	if (sscanf(data, "%u %n", &round, &at) != 1 || round != r->o.round ||
	    r->early.armed || r->failing || r->done)
		return;
	line_early(r->early_line, data + at, r->o.grace_s);
	loop_arm(r->o.loop, &r->early, (unsigned long)r->o.grace_s * 1000);
}

static void hear_idle(struct referee *r, unsigned member, const char *data)
{
	if (strtoul(data, NULL, 10) != r->o.round)
		return;
	note_idle(r, member);
	when_all_idle(r);
}

static void hear_ended(struct referee *r, unsigned member, const char *data)
{
	unsigned round;
	unsigned long n;

	if (sscanf(data, "%u %lu", &round, &n) != 2 || round != r->o.round)
		return;
	if (!r->member[member].ended)
		r->nkilled += n;
	note_ended(r, member);
	when_all_idle(r);
	when_all_ended(r);
}

enum referee_loss referee_loss(const struct referee *r)
{
	return r->loss;
}

/* --- what members say --- */

static void hear_facts(struct referee *r, unsigned member, const char *data,
		       size_t n)
{
	int rc = collect_add(r->facts, member, data, n);
	size_t size;
	char *all = rc > 0 ? collect_join(r->facts, &size) : NULL;

	if (all)
		r->o.send(r->o.arg, REFEREE_ALL, MSG_ALL_FACTS, all, size);
	else if (rc)
		referee_stop(r, LINE_TOO_MUCH, EXIT_FAILURE, 0);
	free(all);
}

static void hear_ready(struct referee *r, unsigned member, const char *data)
{
	if (member == 0 && *data)
		snprintf(r->go, sizeof(r->go), "0 %s", data);
	if (!r->decided &&
	    barrier_meet(&r->ready, r->o.n, &r->member[member].ready))
		send_text(r, REFEREE_ALL, MSG_GO, *r->go ? r->go : "0");
}

void referee_hear(struct referee *r, unsigned member, char type,
		  const char *data, size_t n)
{
	if (r->over || r->member[member].gone)
		return;
	switch ((enum message)type) {
	case MSG_FACTS:
		hear_facts(r, member, data, n);
		break;
	case MSG_ORDER:
		if (!member && !r->decided)
			r->o.send(r->o.arg, REFEREE_ALL, MSG_RUN, data, n);
		break;
	case MSG_READY:
		hear_ready(r, member, data);
		break;
	case MSG_FAILED:
		hear_failed(r, member, data);
		break;
	case MSG_ORPHAN:
		if (r->loss < LOSS_TASK)
			r->loss = LOSS_TASK;
		break;
	case MSG_STOP:
		hear_stop(r, data);
		break;
	case MSG_EARLY:
		hear_early(r, data);
		break;
	case MSG_IDLE:
		hear_idle(r, member, data);
		break;
	case MSG_ENDED:
		hear_ended(r, member, data);
		break;
	default:
		break;
	}
}

struct referee *referee_new(const struct referee_options *options,
			    struct err *err)
{
	struct referee *r = calloc(1, sizeof(*r));

	if (r) {
		r->member = calloc(options->n, sizeof(*r->member));
		r->facts = collect_new(options->n);
		r->o = *options;
		r->window = (struct loop_timer){.expired = decide, .arg = r};
		r->deadline = (struct loop_timer){.expired = leave, .arg = r};
		r->early = (struct loop_timer){.expired = too_early, .arg = r};
		if (r->member && r->facts)
			return r;
	}
	err_memory(err);
	referee_free(r);
	return NULL;
}

void referee_free(struct referee *r)
{
	if (!r)
		return;
	disarm_all(r);
	collect_free(r->facts);
	free(r->member);
	free(r);
}
