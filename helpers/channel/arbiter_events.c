/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/arbiter_state.h"

#include "helpers/channel/gather.h"

#include <stdio.h>
#include <stdlib.h>

#define AFTER_MAX_S (1L << 30) /* that a member may ask for */

/* --- failures --- */

static void hear_failed(struct arbiter *r, unsigned member, const char *data)
{
	struct arbiter_failure f = {.member = member};
	unsigned long age_ms;
	unsigned round, step_signalled;

	if (sscanf(data, "%u %d %lu %u", &round, &f.code, &age_ms,
		   &step_signalled) != 4 ||
	    round != r->o.round || f.code < 1 || f.code > 255)
		return;
	f.at_ms = loop_now_ms() - age_ms;
	f.step_signalled = step_signalled;
	arbiter_note_failure(r, &f);
}

static void hear_stop(struct arbiter *r, const char *data)
{
	char line[ARBITER_LINE_SIZE];
	int code, at;
	long after_s;

	if (sscanf(data, "%d %ld %n", &code, &after_s, &at) != 2 || code < 1 ||
	    code > 255 || after_s < 0 || after_s > AFTER_MAX_S)
		return;
	arbiter_stop(r, line_stop(line, data + at), code, after_s);
}

/* --- exits of 0 --- */

void arbiter_too_early(void *arg)
{
	struct arbiter *r = arg;

	arbiter_stop(r, r->early_line, EXIT_FAILURE, 0);
}

static void hear_early(struct arbiter *r, const char *data)
{
	unsigned round;
	int at;

	if (sscanf(data, "%u %n", &round, &at) != 1 || round != r->o.round ||
	    r->early.armed || r->failing || r->done)
		return;
	line_early(r->early_line, data + at, r->o.grace_s);
	loop_arm(r->o.loop, &r->early, (unsigned long)r->o.grace_s * 1000);
}

static void hear_idle(struct arbiter *r, unsigned member, const char *data)
{
	if (strtoul(data, NULL, 10) != r->o.round)
		return;
	arbiter_note_idle(r, member);
	arbiter_check_idle(r);
}

static void hear_ended(struct arbiter *r, unsigned member, const char *data)
{
	unsigned round;
	unsigned long n;

	if (sscanf(data, "%u %lu", &round, &n) != 2 || round != r->o.round)
		return;
	if (!r->member[member].ended)
		r->nkilled += n;
	arbiter_note_ended(r, member);
	arbiter_check_idle(r);
	arbiter_check_ended(r);
}

/* --- facts --- */

static void hear_facts(struct arbiter *r, unsigned member, const char *data,
		       size_t n)
{
	int rc = gather_add(r->facts, member, data, n);
	size_t size;
	char *all = rc > 0 ? gather_join(r->facts, &size) : NULL;

	if (all)
		r->o.send(r->o.arg, ARBITER_ALL, MSG_ALL_FACTS, all, size);
	else if (rc)
		arbiter_stop(r, LINE_TOO_MUCH, EXIT_FAILURE, 0);
	free(all);
}

static void hear_ready(struct arbiter *r, unsigned member, const char *data)
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
	case MSG_FACTS:
		hear_facts(r, member, data, n);
		break;
	case MSG_EXEC:
		if (!member && !r->decided)
			r->o.send(r->o.arg, ARBITER_ALL, MSG_EXEC_ALL, data, n);
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
