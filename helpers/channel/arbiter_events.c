/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/arbiter_state.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* The round that a message begins with: those of another one don't count. */
static bool is_of_this_round(const struct arbiter_group *g, const char **data)
{
	long round;

	return message_number(data, 0, INT_MAX, &round) == 0 &&
	       round == g->round;
}

/* --- failures --- */

static void handle_failed(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_group *g = r->member[member].group;
	struct arbiter_failure f = {.member = member};
	long code, age_ms, how;

	if (!is_of_this_round(g, &data) ||
	    message_number(&data, 1, UCHAR_MAX, &code) < 0 ||
	    message_number(&data, 0, LONG_MAX, &age_ms) < 0 ||
	    message_number(&data, 0, FAILED_TO_START, &how) < 0)
		return;
	f.code = (int)code;
	f.at_ms = loop_now_ms() - (unsigned long)age_ms;
	f.step_signalled = how == FAILED_BY_SIGNAL;
	f.not_started = how == FAILED_TO_START;
	group_note_failure(g, &f);
}

static void handle_stop(struct arbiter *r, const char *data)
{
	char line[ARBITER_LINE_SIZE];
	long code, after_s;

	if (message_number(&data, 1, UCHAR_MAX, &code) < 0 ||
	    message_number(&data, 0, AFTER_MAX_S, &after_s) < 0)
		return;
	arbiter_stop(r, line_stop(line, data), (int)code, after_s);
}

/* The whole step was told to end, by a signal: restarts that have been decided
 * are called off. */
static void handle_told(struct arbiter *r)
{
	struct arbiter_failure f = {
		.at_ms = loop_now_ms(),
		.code = 128 + SIGTERM,
		.step_signalled = true,
	};

	for (unsigned i = 0; i < r->ngroups && !r->over; i++)
		group_call_restart_off(&r->group[i], &f);
	arbiter_check_closing(r);
}

/* --- exits of 0 --- */

static void handle_early(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_group *g = r->member[member].group;

	if (!is_of_this_round(g, &data) || g->early.armed || g->failing ||
	    g->done || g->over)
		return;
	line_early(g->early_line, data, r->o.grace_s);
	loop_arm(r->o.loop, &g->early, (unsigned long)r->o.grace_s * 1000);
}

static void handle_idle(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_group *g = r->member[member].group;

	if (!is_of_this_round(g, &data))
		return;
	group_note_idle(r, member);
	group_check_idle(g);
}

static void handle_ended(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_group *g = r->member[member].group;
	long n;

	if (!is_of_this_round(g, &data) ||
	    message_number(&data, 0, LONG_MAX, &n) < 0)
		return;
	if (!r->member[member].ended && (!arbiter_has_groups(r) || r->closing))
		r->nkilled += (unsigned long)n;
	group_note_ended(r, member);
	group_check_idle(g);
	group_check_ended(g);
	arbiter_check_closing(r);
}

/* --- the start --- */

static void handle_ready(struct arbiter *r, unsigned member, const char *data)
{
	if (member == 0 && *data)
		snprintf(r->go, sizeof(r->go), "0 %s", data);
	if (!r->group->decided && !r->closing &&
	    barrier_meet(&r->ready, r->o.n, &r->member[member].ready))
		arbiter_tell(r, ARBITER_ALL, MSG_GO, *r->go ? r->go : "0");
}

/* --- what members say --- */

void arbiter_handle(struct arbiter *r, unsigned member, char type,
		    const char *data, size_t n)
{
	if (r->over || r->member[member].gone)
		return;
	if (arbiter_recovers(r) && recovery_handle(r, member, type, data))
		return;
	switch ((enum message)type) {
	case MSG_EXEC:
		if (!member && !r->group->decided)
			r->o.send(r->o.arg, ARBITER_ALL, MSG_EXEC_ALL, data, n);
		break;
	case MSG_READY:
		handle_ready(r, member, data);
		break;
	case MSG_FAILED:
		handle_failed(r, member, data);
		break;
	case MSG_ORPHAN:
		if (r->loss < LOSS_TASK)
			r->loss = LOSS_TASK;
		break;
	case MSG_STOP:
		handle_stop(r, data);
		break;
	case MSG_TOLD:
		handle_told(r);
		break;
	case MSG_EARLY:
		handle_early(r, member, data);
		break;
	case MSG_IDLE:
		handle_idle(r, member, data);
		break;
	case MSG_ENDED:
		handle_ended(r, member, data);
		break;
	default:
		break;
	}
}
