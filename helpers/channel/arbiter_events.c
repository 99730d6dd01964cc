/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/arbiter_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* The round that a message begins with: those of another one don't count. */
static bool is_of_this_round(const struct arbiter *r, const char **data)
{
	long round;

	return message_number(data, 0, INT_MAX, &round) == 0 &&
	       round == r->o.round;
}

/* --- failures --- */

static void handle_failed(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_failure f = {.member = member};
	long code, age_ms, step_signalled;

	if (!is_of_this_round(r, &data) ||
	    message_number(&data, 1, UCHAR_MAX, &code) < 0 ||
	    message_number(&data, 0, LONG_MAX, &age_ms) < 0 ||
	    message_number(&data, 0, 1, &step_signalled) < 0)
		return;
	f.code = (int)code;
	f.at_ms = loop_now_ms() - (unsigned long)age_ms;
	f.step_signalled = step_signalled;
	arbiter_note_failure(r, &f);
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

/* --- exits of 0 --- */

void arbiter_too_early(void *arg)
{
	struct arbiter *r = arg;

	arbiter_stop(r, r->early_line, EXIT_FAILURE, 0);
}

static void handle_early(struct arbiter *r, const char *data)
{
	if (!is_of_this_round(r, &data) || r->early.armed || r->failing ||
	    r->done)
		return;
	line_early(r->early_line, data, r->o.grace_s);
	loop_arm(r->o.loop, &r->early, (unsigned long)r->o.grace_s * 1000);
}

static void handle_idle(struct arbiter *r, unsigned member, const char *data)
{
	if (!is_of_this_round(r, &data))
		return;
	arbiter_note_idle(r, member);
	arbiter_check_idle(r);
}

static void handle_ended(struct arbiter *r, unsigned member, const char *data)
{
	long n;

	if (!is_of_this_round(r, &data) ||
	    message_number(&data, 0, LONG_MAX, &n) < 0)
		return;
	if (!r->member[member].ended)
		r->nkilled += (unsigned long)n;
	arbiter_note_ended(r, member);
	arbiter_check_idle(r);
	arbiter_check_ended(r);
}

/* --- the start --- */

static void handle_ready(struct arbiter *r, unsigned member, const char *data)
{
	if (member == 0 && *data)
		snprintf(r->go, sizeof(r->go), "0 %s", data);
	if (!r->decided &&
	    barrier_meet(&r->ready, r->o.n, &r->member[member].ready))
		arbiter_tell(r, ARBITER_ALL, MSG_GO, *r->go ? r->go : "0");
}

/* --- what members say --- */

void arbiter_handle(struct arbiter *r, unsigned member, char type,
		    const char *data, size_t n)
{
	if (r->over || r->member[member].gone)
		return;
	switch ((enum message)type) {
	case MSG_EXEC:
		if (!member && !r->decided)
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
		arbiter_told_to_end(r);
		break;
	case MSG_EARLY:
		handle_early(r, data);
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
