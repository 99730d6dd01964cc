/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the controller of a step that outlives lost nodes may be told, and what
 * it tells. The first byte says what the rest is: messages for the arbiter, one
 * on each line, the first byte of which is the member, the second the type
 * ("!": it is lost, "+": it comes, "?": nobody is waited for any more); what
 * nodes tell in the check before the start, likewise.
 */
#include "helpers/arbiter/arbiter.h"
#include "helpers/roster/roster.h"
#include "helpers/step/node_check.h"

#include "tests/fuzz/arbiter_calls.h"

#define NODES  5
#define SPARES 1

static struct loop loop = {.epoll_fd = -1};
static bool is_here[NODES];
static unsigned nleaves;
static long last_round;

/* --- the arbiter --- */

static void sends(void *arg, unsigned member, char type, const char *data,
		  size_t n)
{
	struct places places;
	struct err err;
	long round;

	(void)arg;
	RULE(member < NODES || member == ARBITER_ALL);
	RULE(strlen(data) == n);
	nleaves += type == MSG_LEAVE;
	if (type != MSG_ROUND)
		return;
	RULE(message_number(&data, 0, INT32_MAX, &round) == 0);
	RULE(round >= last_round);
	last_round = round;
	RULE(places_parse(data, NODES, &places, &err) == 0);
	RULE(places.n);
	places_clear(&places);
}

static bool here(const void *arg, unsigned member)
{
	(void)arg;
	return is_here[member];
}

static bool heard(const void *arg, unsigned member, uint64_t since_ms)
{
	(void)arg;
	(void)member;
	(void)since_ms;
	return true;
}

static void ask(void *arg)
{
	(void)arg;
}

static void hear(struct arbiter *r, const char *line)
{
	unsigned member;

	if (!line[0])
		return;
	member = (unsigned char)line[1] % NODES;
	if (line[0] == '!' && is_here[member]) {
		is_here[member] = false;
		arbiter_lost(r, member, "node", 0, 9);
	} else if (line[0] == '+' && !is_here[member]) {
		is_here[member] = true;
		arbiter_came(r, member);
	} else if (line[0] == '?') {
		arbiter_wait_no_more(r);
	} else if (line[1] && is_here[(unsigned char)line[0] % NODES]) {
		arbiter_handle(r, (unsigned char)line[0] % NODES, line[1],
			       line[2] ? line + 2 : "", strlen(line + 2));
	}
}

static void to_arbiter(char *text)
{
	static const unsigned node[NODES] = {0, 1, 2, 3, 4};
	struct ladder ladder;
	struct roster roster;
	struct err err;
	struct roster_options ro = {
		.nnodes = NODES, .nspares = SPARES, .ladder = &ladder};
	struct arbiter_recovery recovery = {
		.roster = &roster, .node = node, .lease_s = 5};
	struct arbiter_options o = {
		.loop = &loop,
		.n = NODES,
		.rounds = 3,
		.restarts_on = restarts,
		.send = sends,
		.here = here,
		.heard = heard,
		.ask = ask,
		.say = says,
		.start_together = true,
		.recovery = &recovery,
	};
	struct arbiter *r;

	RULE(ladder_parse("replace+shrink:2", &ladder, &err) == 0);
	RULE(roster_open(&ro, &roster, &err) == 0);
	r = arbiter_new(&o, &err);
	RULE(r);
	nleaves = 0;
	last_round = 0;
	for (unsigned i = 0; i < NODES; i++) {
		is_here[i] = true;
		arbiter_came(r, i);
	}
	while (text)
		hear(r, strsep(&text, "\n"));
	RULE(nleaves <= 1);
	arbiter_free(r);
	RULE(!loop.timers.first);
	roster_close(&roster);
}

/* --- the check --- */

static bool is_over;

static bool node_is_here(void *arg, unsigned node)
{
	(void)arg;
	RULE(node < NODES);
	return true;
}

static void tells(void *arg, unsigned node, const char *text)
{
	(void)arg;
	RULE(node < NODES && *text);
	RULE(!is_over);
}

static void remarks(void *arg, const char *line)
{
	(void)arg;
	RULE(*line);
}

static void condemns(void *arg, unsigned node, const char *why)
{
	(void)arg;
	RULE(node < NODES && *why);
}

static void over(void *arg)
{
	(void)arg;
	RULE(!is_over);
	is_over = true;
}

/* A blank line after the first line of a node's facts goes on with them. */
static void to_check(char *text)
{
	static const char *const name[NODES] = {"a", "b", "c", "d", "e"};
	struct check_options o = {
		.loop = &loop,
		.nnodes = NODES,
		.name = name,
		.self = 0,
		.full = true,
		.look_ms = 1000,
		.here = node_is_here,
		.tell = tells,
		.remark = remarks,
		.condemn = condemns,
		.over = over,
	};
	struct err err;
	struct node_check *c;
	char *line;

	is_over = false;
	c = node_check_open(&o, &err);
	RULE(c);
	while ((line = strsep(&text, "\n"))) {
		char *more = line;

		if (!*line)
			continue;
		while ((more = strchr(more, '|')))
			*more++ = '\n';
		node_check_note(c, (unsigned char)*line % NODES, line + 1);
	}
	node_check_close(c);
	RULE(!loop.timers.first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *text = size ? fuzz_text(data + 1, size - 1) : NULL;
	struct err err;

	if (!size)
		return 0;
	if (loop.epoll_fd < 0)
		RULE(loop_open(&loop, &err) == 0);
	if (data[0] % 4 == 2)
		to_check(text);
	else
		to_arbiter(text);
	return 0;
}
