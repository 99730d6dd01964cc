/* SPDX-License-Identifier: Apache-2.0 */
/* What members say. */
#include "helpers/arbiter/arbiter_state.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>

/* Nothing of an earlier round runs there. */
static bool is_settled(const struct arbiter_member *m)
{
	return m->state != MEMBER_NEW && m->state != MEMBER_JOINS;
}

/* It has a place in this round. */
static bool takes_part(const struct arbiter_member *m)
{
	return m->placed && is_settled(m) && m->round == m->group->round;
}

/* The round that its message begins with is that one. */
static bool is_of_this_round(const struct arbiter_member *m, const char **data)
{
	long round;

	return takes_part(m) && message_number(data, 0, INT_MAX, &round) == 0 &&
	       round == m->round;
}

/* --- members that come --- */

/* A node can have a place when all its launchers are here and settled. If the
 * step runs without it, it learns that. */
static void settle(struct arbiter *a, unsigned member)
{
	struct arbiter_member *m = &a->member[member];
	unsigned node = arbiter_node_of(a, member);
	bool all = true;

	for (unsigned i = 0; i < a->o.n && all; i++)
		all = arbiter_node_of(a, i) != node ||
		      (arbiter_is_here(a, i) && is_settled(&a->member[i]));
	if (all)
		roster_come(a->roster, node);
	if (!group_is_ending(m->group) && !m->placed && m->group->round > 0) {
		m->state = MEMBER_ENDED;
		arbiter_tell_round(a, member);
	}
}

/* ROUND GATHERED BACK: who is back may have that round's processes still. */
static void handle_state(struct arbiter *a, unsigned member, const char *data)
{
	struct arbiter_member *m = &a->member[member];
	long round, gathered, back;

	if (m->state != MEMBER_NEW ||
	    message_number(&data, 0, INT_MAX, &round) < 0 ||
	    message_number(&data, 0, 1, &gathered) < 0 ||
	    message_number(&data, 0, 1, &back) < 0)
		return;
	m->round = (unsigned)round;
	m->state = back ? MEMBER_JOINS : MEMBER_WORKS;
	if (!back)
		settle(a, member);
	arbiter_happens(a->group, EVENT_NONE, NULL);
}

/* --- failures --- */

static bool is_out(const struct arbiter *a, unsigned member)
{
	unsigned node = arbiter_node_of(a, member);

	return a->roster->node[node].state == NODE_OUT;
}

static void handle_failed(struct arbiter *a, unsigned member, const char *data)
{
	const struct arbiter_member *m = &a->member[member];
	struct arbiter_failure f;
	long code, age_ms, how;

	if (!is_of_this_round(m, &data) ||
	    message_number(&data, 1, UCHAR_MAX, &code) < 0 ||
	    message_number(&data, 0, LONG_MAX, &age_ms) < 0 ||
	    message_number(&data, 0, FAILED_TO_START, &how) < 0)
		return;
	f = arbiter_failure(a, member, (int)code);
	f.at_ms -= (unsigned long)age_ms;
	f.step_signalled = how == FAILED_BY_SIGNAL;
	f.not_started = how == FAILED_TO_START;
	arbiter_happens(m->group, EVENT_FAILURE, &f);
}

/* WHY: its node must have no place any more. */
static void condemn(struct arbiter *a, unsigned member, const char *why)
{
	unsigned node = arbiter_node_of(a, member);
	char name[ROSTER_NAME_SIZE];
	struct arbiter_failure f = arbiter_failure(a, member, 128 + SIGKILL);

	if (!arbiter_has_ladder(a) || is_out(a, member))
		return;
	f.lost = true; /* the decision says why */
	roster_condemn(a->roster, node, why);
	if (a->member[member].placed) {
		arbiter_note_loss(a, &f);
		return;
	}
	arbiter_say(a, "%s %.500s: it isn't a spare any more\n",
		    roster_name(a->roster, node, name), why);
	arbiter_happens(a->group, EVENT_NONE, NULL);
}

/* A fault of a launcher that has no processes isn't the step's. */
static void handle_stop(struct arbiter *a, unsigned member, const char *data)
{
	char line[LOSS_LINE_SIZE], why[512];
	long code, after_s;

	if (message_number(&data, 1, UCHAR_MAX, &code) < 0 ||
	    message_number(&data, 0, AFTER_MAX_S, &after_s) < 0 ||
	    is_out(a, member))
		return;
	if (a->member[member].placed) {
		snprintf(line, sizeof(line), "%s%.1000s%s",
			 *data ? "dist-train: " : "", data, *data ? "\n" : "");
		arbiter_stop(a, line, (int)code, after_s);
		return;
	}
	snprintf(why, sizeof(why), "has a fault (%.400s)", data);
	condemn(a, member, why);
}

/* The whole step was told to end, by a signal: restarts that have been decided
 * are called off, and losses are its launchers' ends. */
static void handle_told(struct arbiter *a, unsigned member, const char *data)
{
	struct arbiter_failure f = arbiter_failure(a, member, 128 + SIGTERM);

	(void)data;
	f.step_signalled = true;
	a->stopped |= arbiter_has_ladder(a);
	for (unsigned i = 0; i < a->ngroups && !a->left; i++)
		arbiter_happens(&a->group[i], EVENT_TOLD, &f);
}

static void handle_orphan(struct arbiter *a, unsigned member, const char *data)
{
	(void)data;
	condemn(a, member, "has lost its slurmstepd");
	if (a->loss < LOSS_TASK)
		a->loss = LOSS_TASK;
}

/* --- ends --- */

static void handle_early(struct arbiter *a, unsigned member, const char *data)
{
	const struct arbiter_member *m = &a->member[member];
	struct arbiter_group *g = m->group;

	if (!is_of_this_round(m, &data) || g->state != GROUP_RUNS ||
	    g->timer.armed)
		return;
	snprintf(g->early_line, sizeof(g->early_line),
		 "dist-train: %.300s ended with exit code 0, and others still "
		 "ran %ld s later (early-exit=fail)\n",
		 data, a->o.grace_s);
	loop_arm(a->o.loop, &g->timer, (unsigned long)a->o.grace_s * 1000);
}

static void handle_idle(struct arbiter *a, unsigned member, const char *data)
{
	struct arbiter_member *m = &a->member[member];

	if (!is_of_this_round(m, &data))
		return;
	if (m->state == MEMBER_WORKS)
		m->state = MEMBER_IDLE;
	arbiter_happens(m->group, EVENT_NONE, NULL);
}

/* ROUND N */
static void handle_ended(struct arbiter *a, unsigned member, const char *data)
{
	struct arbiter_member *m = &a->member[member];
	enum member_state state = m->state;
	long round, n;

	if (message_number(&data, 0, INT_MAX, &round) < 0 ||
	    message_number(&data, 0, LONG_MAX, &n) < 0 || round != m->round ||
	    state == MEMBER_NEW)
		return;
	if (state < MEMBER_ENDED &&
	    (!a->keeps_services || m->group->state >= GROUP_FAILS))
		a->nkilled += (unsigned long)n;
	m->state = MEMBER_ENDED;
	if (state == MEMBER_JOINS)
		settle(a, member);
	arbiter_happens(m->group, EVENT_NONE, NULL);
}

/* --- the start --- */

/* All who have a place say it, as often as they are asked to. Returns whether
 * this was the last one. */
static bool all_meet(struct arbiter *a, struct arbiter_member *m)
{
	if (m->ready > a->nmet)
		return false;
	m->ready = a->nmet + 1;
	if (++a->nready < a->nplaced)
		return false;
	a->nready = 0;
	a->nmet++;
	return true;
}

/* [ADDRESS], of the first place. */
static void handle_ready(struct arbiter *a, unsigned member, const char *data)
{
	struct arbiter_member *m = &a->member[member];
	char go[sizeof(a->go) + 16];

	if (group_is_ending(m->group) || m->group->state == GROUP_DONE ||
	    m->state >= MEMBER_ENDED || !takes_part(m))
		return;
	if (arbiter_node_of(a, member) == a->roster->places.node[0] && *data)
		snprintf(a->go, sizeof(a->go), " %s", data);
	if (!all_meet(a, m))
		return;
	snprintf(go, sizeof(go), "%u%s", m->group->round, a->go);
	arbiter_tell(a, ARBITER_ALL, MSG_GO, go);
}

static const struct {
	enum message type;
	void (*handle)(struct arbiter *a, unsigned member, const char *data);
} handlers[] = {
	{MSG_STATE, handle_state},   {MSG_READY, handle_ready},
	{MSG_FAILED, handle_failed}, {MSG_CONDEMNED, condemn},
	{MSG_ORPHAN, handle_orphan}, {MSG_STOP, handle_stop},
	{MSG_TOLD, handle_told},     {MSG_EARLY, handle_early},
	{MSG_IDLE, handle_idle},     {MSG_ENDED, handle_ended},
};

void arbiter_handle(struct arbiter *a, unsigned member, char type,
		    const char *data, size_t n)
{
	if (a->left || a->member[member].state == MEMBER_GONE)
		return;
	if (type == MSG_EXEC && !member && takes_part(a->member) &&
	    !group_is_ending(a->group))
		a->o.send(a->o.arg, ARBITER_ALL, MSG_EXEC_ALL, data, n);
	for (size_t i = 0; i < sizeof(handlers) / sizeof(*handlers); i++)
		if (type == (char)handlers[i].type)
			handlers[i].handle(a, member, data);
}
