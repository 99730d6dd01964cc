/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/node_check.h"

#include "helpers/check/pair_talk.h"
#include "helpers/check/pairs.h"
#include "sys/epoch.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICK_MS	     250
#define REASON_SIZE  512
#define AHEAD_MS     3000
#define BEHIND_MS    30000 /* a message may have been on its way for seconds */
#define REMARKS_MAX  10
#define CLOCK_MAX_MS (1LL << 52)

struct check_node {
	bool told; /* of the stage that is on */
	bool is_new;
	char *facts; /* what it has told and what was found here */
	char ip[64];
	unsigned port;
	char reason[REASON_SIZE]; /* why it is condemned; "": it isn't */
};

struct node_check {
	struct check_options o;
	struct check_node *node;
	struct pairs pairs;
	unsigned stage; /* 0: what nodes say of themselves */
	unsigned nremarks;
	uint64_t all_here_ms; /* since when the stage's time runs; 0: not yet */
	struct loop_timer tick;
	bool over;
};

void node_check_stop(struct node_check *c)
{
	c->over = true;
	loop_disarm(c->o.loop, &c->tick);
}

static void end_check(struct node_check *c)
{
	node_check_stop(c);
	c->o.over(c->o.arg);
}

/* --- what is wrong --- */

static void set_reason(struct node_check *c, unsigned node, const char *text)
{
	char *reason = c->node[node].reason;

	if (!*reason)
		snprintf(reason, REASON_SIZE, "%s", text);
}

static void remark(struct node_check *c, const char *nodes, const char *text)
{
	char line[2 * REASON_SIZE];

	if (c->nremarks++ >= REMARKS_MAX)
		return;
	snprintf(line, sizeof(line), "%.300s: %.600s", nodes, text);
	c->o.remark(c->o.arg, line);
}

static void on_condemned(void *arg, unsigned node, const char *text)
{
	set_reason(arg, node, text);
}

static void on_remark(void *arg, const char *nodes, const char *text)
{
	remark(arg, nodes, text);
}

/* Returns whether a node is condemned: then the check is over. */
static bool has_condemned(struct node_check *c)
{
	bool any = false;

	for (unsigned i = 0; i < c->o.nnodes; i++) {
		if (!*c->node[i].reason)
			continue;
		any = true;
		c->o.condemn(c->o.arg, i, c->node[i].reason);
	}
	if (any)
		end_check(c);
	return any;
}

static void refuse(struct node_check *c, const char *why)
{
	c->o.refuse(c->o.arg, why);
	end_check(c);
}

/* --- the stages --- */

static void begin_stage(struct node_check *c)
{
	c->all_here_ms = 0;
	for (unsigned i = 0; i < c->o.nnodes; i++)
		c->node[i].told = c->stage && !pairs_has(&c->pairs, i);
}

static void tell_pair(struct node_check *c, const struct pair *p)
{
	const struct check_node *a = &c->node[p->a];
	char text[128];

	snprintf(text, sizeof(text), "%u %u", c->stage, p->b);
	c->o.tell(c->o.arg, p->a, text);
	snprintf(text, sizeof(text), "%u %u %s %u", c->stage, p->a, a->ip,
		 a->port);
	c->o.tell(c->o.arg, p->b, text);
}

static void all_well(struct node_check *c)
{
	c->over = true; /* who is told may go on at once, ours too */
	for (unsigned i = 0; i < c->o.nnodes; i++)
		c->o.tell(c->o.arg, i, "0");
	end_check(c);
}

static void judge_pairs(struct node_check *c)
{
	char text[REASON_SIZE];

	if (c->o.nnodes > 2 && pairs_usual(&c->pairs) <= 0) {
		refuse(c, PAIRS_NONE);
		return;
	}
	for (unsigned i = 0; i < c->o.nnodes; i++) {
		enum pair_verdict v = pairs_judge(&c->pairs, i, c->o.name, text,
						  sizeof(text));

		if (v == PAIR_REMARK)
			remark(c, c->o.name[i], text);
		else if (v != PAIR_WELL)
			set_reason(c, i, text);
	}
	if (!has_condemned(c))
		all_well(c);
}

static void next_stage(struct node_check *c)
{
	cleanup_free struct pair *pair =
		calloc(c->o.nnodes / 2 + 1, sizeof(*pair));
	unsigned n = pair ? pairs_next(&c->pairs, pair) : 0;

	if (!n) {
		judge_pairs(c);
		return;
	}
	c->stage++;
	begin_stage(c);
	for (unsigned i = 0; i < n; i++)
		tell_pair(c, &pair[i]);
}

static void judge_facts(struct node_check *c)
{
	cleanup_free const char **facts = calloc(c->o.nnodes, sizeof(*facts));
	bool measure = false, all = facts;
	struct err err;

	for (unsigned i = 0; facts && i < c->o.nnodes; i++) {
		facts[i] = c->node[i].facts;
		all = all && facts[i];
		measure |= c->node[i].is_new;
	}
	if (!all || verdict_make(c->o.name, facts, c->o.nnodes, on_condemned,
				 on_remark, c, &err) < 0) {
		refuse(c, "out of memory: the nodes couldn't be judged");
		return;
	}
	if (has_condemned(c))
		return;
	if (c->o.full && measure && c->o.nnodes > 1)
		next_stage(c);
	else
		all_well(c);
}

static void end_stage(struct node_check *c)
{
	for (unsigned i = 0; i < c->o.nnodes; i++)
		if (!c->node[i].told)
			return;
	if (c->stage)
		next_stage(c);
	else
		judge_facts(c);
}

/* --- who is silent --- */

static long limit_ms(const struct node_check *c)
{
	return CHECK_SLACK_MS + (c->stage ? PAIR_MS : c->o.look_ms);
}

/* Where most are silent, it is this node's network that fails. */
static void condemn_silent(struct node_check *c)
{
	unsigned nsilent = 0;
	char text[128];

	for (unsigned i = 0; i < c->o.nnodes; i++)
		nsilent += !c->node[i].told;
	if (c->o.self < c->o.nnodes && c->node[c->o.self].told &&
	    c->o.nnodes > 2 && 2 * nsilent >= c->o.nnodes) {
		snprintf(text, sizeof(text),
			 "%u of the %u other nodes can't be heard here within "
			 "%ld s",
			 nsilent, c->o.nnodes - 1, limit_ms(c) / 1000);
		set_reason(c, c->o.self, text);
	} else {
		snprintf(text, sizeof(text),
			 "its launcher doesn't answer: nothing has come within "
			 "%ld s in the check",
			 limit_ms(c) / 1000);
		for (unsigned i = 0; i < c->o.nnodes; i++)
			if (!c->node[i].told)
				set_reason(c, i, text);
	}
	has_condemned(c);
}

static bool all_here(struct node_check *c)
{
	for (unsigned i = 0; i < c->o.nnodes; i++)
		if (!c->o.here(c->o.arg, i))
			return false;
	return true;
}

static void on_tick(void *arg)
{
	struct node_check *c = arg;

	loop_arm(c->o.loop, &c->tick, TICK_MS);
	if (!all_here(c))
		c->all_here_ms = 0;
	else if (!c->all_here_ms)
		c->all_here_ms = loop_now_ms();
	else if (loop_now_ms() - c->all_here_ms > (uint64_t)limit_ms(c))
		condemn_silent(c);
}

/* --- what nodes tell --- */

/* What it says, and what only can be seen from here. */
static char *all_facts(const struct node_check *c, const char *facts,
		       long long there_ms)
{
	long long here_ms = epoch_ms();
	char *all, *clock = "";
	char text[64];

	if (there_ms - here_ms > AHEAD_MS || here_ms - there_ms > BEHIND_MS) {
		snprintf(text, sizeof(text), "clock-apart %lld %u\n",
			 (there_ms - here_ms) / 1000, c->o.self);
		clock = text;
	}
	return asprintf(&all, "%s%s", clock, facts) < 0 ? NULL : all;
}

/* NEW CLOCK_MS IP|- PORT\nFACTS */
static void note_facts(struct node_check *c, struct check_node *node,
		       const char *text)
{
	const char *facts = strchr(text, '\n');
	long long clock_ms;
	unsigned is_new;

	if (!facts ||
	    sscanf(text, "%u %lld %63s %u", &is_new, &clock_ms, node->ip,
		   &node->port) != 4 ||
	    clock_ms < 0 || clock_ms > CLOCK_MAX_MS || node->port > UINT16_MAX)
		return;
	node->is_new = is_new;
	node->facts = all_facts(c, facts + 1, clock_ms);
	node->told = true;
}

/* RATE AGAIN */
static void note_figure(struct node_check *c, unsigned node, const char *text)
{
	struct pair_figure figure;

	/* Not a number can't be sorted */
	if (sscanf(text, "%lf %u", &figure.rate, &figure.again) != 2 ||
	    !(figure.rate >= 0 && figure.rate <= DBL_MAX))
		return;
	pairs_note(&c->pairs, node, &figure);
	c->node[node].told = true;
}

void node_check_note(struct node_check *c, unsigned node, const char *text)
{
	unsigned stage;
	int at = 0;

	if (c->over || node >= c->o.nnodes || c->node[node].told ||
	    sscanf(text, "%u %n", &stage, &at) != 1 || !at || stage != c->stage)
		return;
	if (stage)
		note_figure(c, node, text + at);
	else
		note_facts(c, &c->node[node], text + at);
	if (c->node[node].told)
		end_stage(c);
}

struct node_check *node_check_open(const struct check_options *options,
				   struct err *err)
{
	struct node_check *c = calloc(1, sizeof(*c));

	if (c)
		c->node = calloc(options->nnodes, sizeof(*c->node));
	if (!c || !c->node || pairs_open(&c->pairs, options->nnodes) < 0) {
		free(c ? c->node : NULL);
		free(c);
		return err_memory_null(err);
	}
	c->o = *options;
	c->tick = (struct loop_timer){.expired = on_tick, .arg = c};
	loop_arm(c->o.loop, &c->tick, TICK_MS);
	return c;
}

void node_check_close(struct node_check *c)
{
	if (!c)
		return;
	node_check_stop(c);
	for (unsigned i = 0; i < c->o.nnodes; i++)
		free(c->node[i].facts);
	free(c->node);
	pairs_close(&c->pairs);
	free(c);
}
