/* SPDX-License-Identifier: Apache-2.0 */
/* Members that come, and what they say, where a step outlives a lost node. */
#include "helpers/recovery/arbiter_recovery.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- members that come --- */

/* A node can have a place when all its launchers are here and at rest. */
static void look_at_node(struct arbiter *r, unsigned node)
{
	for (unsigned i = 0; i < r->o.n; i++)
		if (node_of(r, i) == node &&
		    (!member_is_here(r, i) || !r->member[i].known ||
		     r->member[i].joining))
			return;
	roster_come(roster_of(r), node);
}

/* It has nothing of an earlier round any more: if the step runs without it, it
 * learns that. */
static void settle(struct arbiter *r, unsigned member)
{
	const struct arbiter_group *g = r->group;
	struct arbiter_member *m = &r->member[member];

	m->joining = false;
	look_at_node(r, node_of(r, member));
	if (!g->decided && !m->placed &&
	    (g->round > 0 || r->o.recovery->takeover)) {
		m->ended = true;
		recovery_tell_round(r, member);
	}
}

/* Places of a later round than this launcher knew. */
static void learn_round(struct arbiter *r, long round, const char *text)
{
	struct places places;
	struct err err;

	if (!r->o.recovery->takeover || !r->group->decided ||
	    round <= (long)r->group->round ||
	    places_parse(text, roster_of(r)->nnodes, &places, &err) < 0)
		return;
	r->group->round = (unsigned)round;
	roster_take(roster_of(r), &places);
	recovery_note_places(r);
}

/* The step was done when its centre was lost: nothing starts again. */
static void finish(struct arbiter_group *g)
{
	g->finished = true;
	g->failing = g->decided = g->restarting = g->replacing = false;
}

/* TERM ROUND DONE GATHERED [PLACES]: without places it comes for the first
 * time. */
static void handle_state(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_member *m = &r->member[member];
	long term, round, done, gathered;

	if (message_number(&data, 0, INT_MAX, &term) < 0 ||
	    message_number(&data, 0, INT_MAX, &round) < 0 ||
	    message_number(&data, 0, 1, &done) < 0 ||
	    message_number(&data, 0, 1, &gathered) < 0)
		return;
	m->known = true;
	m->round = (unsigned)round;
	m->ended = m->idle = false;
	m->joining = *data;
	if (*data)
		learn_round(r, round, data);
	if (done && r->o.recovery->takeover)
		finish(r->group);
	if (!m->joining)
		settle(r, member);
	group_check_ended(r->group);
}

void arbiter_came(struct arbiter *r, unsigned member)
{
	struct arbiter_member *m = &r->member[member];

	r->group->ngone -= m->gone;
	m->gone = m->known = false;
}

/* --- messages --- */

/* How many members have a place. */
static unsigned count_placed(const struct arbiter *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->o.n; i++)
		n += r->member[i].placed;
	return n;
}

static void handle_ended(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_member *m = &r->member[member];
	long round, n;

	if (message_number(&data, 0, INT_MAX, &round) < 0 ||
	    message_number(&data, 0, LONG_MAX, &n) < 0 || round != m->round)
		return;
	if (!m->ended)
		r->nkilled += (unsigned long)n;
	group_note_ended(r, member);
	if (m->joining)
		settle(r, member);
	group_check_idle(m->group);
	group_check_ended(m->group);
}

static void handle_ready(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_member *m = &r->member[member];
	char go[sizeof(r->go)];

	if (!m->placed || m->joining || m->round != r->group->round ||
	    m->ended || r->group->decided)
		return;
	if (*data)
		snprintf(r->go, sizeof(r->go), "%s", data);
	if (!barrier_meet(&r->ready, count_placed(r), &m->ready))
		return;
	snprintf(go, sizeof(go), "%u%s%.40s", r->group->round,
		 *r->go ? " " : "", r->go);
	arbiter_tell(r, ARBITER_ALL, MSG_GO, go);
}

static void condemn(struct arbiter *r, unsigned member, const char *why)
{
	struct roster *roster = roster_of(r);
	unsigned node = node_of(r, member);
	char name[ROSTER_NAME_SIZE], line[ARBITER_LINE_SIZE];
	struct arbiter_failure f = {.member = member,
				    .at_ms = loop_now_ms(),
				    .code = 128 + SIGKILL,
				    .lost = true};

	if (roster->node[node].state == NODE_OUT)
		return;
	roster_condemn(roster, node, why);
	if (r->member[member].placed) {
		recovery_note_loss(r->group, &f); /* the decision says why */
		return;
	}
	snprintf(line, sizeof(line),
		 "dist-train: %s %.500s: it isn't a spare any more\n",
		 roster_name(roster, node, name), why);
	say_line(r, line);
}

/* A fault of a launcher that has no processes isn't the step's. */
static bool handle_stop(struct arbiter *r, unsigned member, const char *data)
{
	char why[512];
	long n;

	if (roster_of(r)->node[node_of(r, member)].state == NODE_OUT)
		return true;
	if (r->member[member].placed)
		return false;
	if (message_number(&data, 1, UCHAR_MAX, &n) == 0 &&
	    message_number(&data, 0, AFTER_MAX_S, &n) == 0) {
		snprintf(why, sizeof(why), "has a fault (%.400s)", data);
		condemn(r, member, why);
	}
	return true;
}

bool recovery_handle(struct arbiter *r, unsigned member, char type,
		     const char *data)
{
	const struct arbiter_member *m = &r->member[member];

	switch ((enum message)type) {
	case MSG_STATE:
		handle_state(r, member, data);
		return true;
	case MSG_READY:
		handle_ready(r, member, data);
		return true;
	case MSG_ENDED:
		handle_ended(r, member, data);
		return true;
	case MSG_CONDEMNED:
		condemn(r, member, data);
		return true;
	case MSG_ORPHAN:
		condemn(r, member, "has lost its slurmstepd");
		return false;
	case MSG_STOP:
		return handle_stop(r, member, data);
	case MSG_TOLD:
		r->group->stopped = true;
		return false;
	default:
		/* FAILED, EARLY, IDLE: of who has a place in this round */
		return !m->placed || m->joining || m->round != r->group->round;
	}
}
