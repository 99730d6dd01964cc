/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/part/phase.h"

#include "helpers/part/launch_tell.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/part.h"

static struct phase_walk *walk_of(const struct launch *l)
{
	return &launch_view(l)->walk;
}

static bool is_wanted(const struct launch *l, const struct phase *p)
{
	const struct launch_view *v = launch_view(l);
	bool again =
		p->each_round || (v->plan->resolved.recovery && p->each_world);

	if ((v->job->round > 0 && !again) || (v->plan->spare && !p->of_spares))
		return false;
	return !p->wanted || p->wanted(v->plan);
}

/* Or keeps nothing, and may be called all the same. */
static bool is_there(const struct launch *l, const struct phase *p)
{
	return !p->size || own_of(l, p);
}

/* With the coordinator's address, where only rank 0's node can know it
 * (addr=nic:...). The answer may come before launch_send() returns. */
static void meet(struct launch *l)
{
	struct launch_view *v = launch_view(l);
	bool tells = v->plan->resolved.address_is_told && v->job->procid == 0;

	v->walk.meeting = true;
	launch_send(l, MSG_READY, tells ? v->job->nic_addr : "");
}

/* Returns whether the next phase may begin. */
static bool is_passed(struct launch *l, enum phase_state state,
		      const struct err *err)
{
	if (state == PHASE_FAILED)
		launch_fail(l, err->text);
	else if (state == PHASE_DONE && (*walk_of(l)->at)->meets)
		meet(l);
	else
		return state == PHASE_DONE;
	return false;
}

static enum phase_state begin(struct launch *l, const struct phase *p,
			      struct err *err)
{
	if (own_make(l, p, p->size, err) < 0)
		return PHASE_FAILED;
	return p->begin(l, err);
}

/* What a phase does may end the round, and begin the next one, before it
 * returns. */
static void walk_from(struct launch *l, const struct phase *const *p)
{
	unsigned nleft = walk_of(l)->nleft;
	enum phase_state state;
	struct err err;

	for (; *p; p++) {
		if (!is_wanted(l, *p))
			continue;
		walk_of(l)->at = p;
		state = begin(l, *p, &err);
		if (nleft != walk_of(l)->nleft || !is_passed(l, state, &err))
			return;
	}
	walk_of(l)->at = p;
}

void phases_begin(struct launch *l, const struct phase *const *table)
{
	walk_of(l)->table = table;
	walk_from(l, table);
}

void phases_leave(struct launch *l)
{
	const struct phase *const *p = walk_of(l)->table;

	for (; p && *p; p++)
		if ((*p)->leave && is_there(l, *p))
			(*p)->leave(l);
	walk_of(l)->nleft++;
	walk_of(l)->meeting = false;
	walk_of(l)->at = p;
}

void phase_done(struct launch *l)
{
	if (!walk_of(l)->at || !*walk_of(l)->at)
		return; /* of a round that has ended */
	if (is_passed(l, PHASE_DONE, NULL))
		walk_from(l, walk_of(l)->at + 1);
}

static void give(struct launch *l, const struct phase *const *p,
		 const char *data, size_t n)
{
	unsigned nleft = walk_of(l)->nleft;
	enum phase_state state;
	struct err err;

	if ((*p)->keep)
		(*p)->keep(l, data, n);
	if (p != walk_of(l)->at || walk_of(l)->meeting)
		return;
	state = (*p)->message(l, data, n, &err);
	if (nleft == walk_of(l)->nleft && is_passed(l, state, &err))
		walk_from(l, p + 1);
}

void phases_message(struct launch *l, char type, const char *data, size_t n)
{
	const struct phase *const *p = walk_of(l)->table;

	while (p && *p && (!(*p)->message || (char)(*p)->takes != type))
		p++;
	if (p && *p)
		give(l, p, data, n);
}

void phases_all_done(struct launch *l)
{
	if (!walk_of(l)->meeting)
		return;
	walk_of(l)->meeting = false;
	walk_from(l, walk_of(l)->at + 1);
}

int phases_show(struct launch *l, const struct phase *const *table,
		struct err *err)
{
	for (; *table; table++)
		if ((*table)->show && is_wanted(l, *table) &&
		    (*table)->show(l, err) < 0)
			return -1;
	return 0;
}

/* --- rounds --- */

void launch_begin_round(struct launch *l)
{
	struct err err;

	if (parts_round(l, &err) < 0)
		return launch_fail(l, err.text);
	walk_of(l)->meeting = false;
	walk_from(l, walk_of(l)->table);
}

/* --- the part --- */

static void end(struct launch *l)
{
	const struct phase *const *p = walk_of(l)->table;

	for (; p && *p; p++)
		if ((*p)->end && is_there(l, *p))
			(*p)->end(l);
}

static void leave(struct launch *l)
{
	if (launch_view(l)->plan->resolved.recovery)
		phases_leave(l);
}

const struct part phases_part = {
	.name = "phases",
	.close = end,
	.leave = leave,
};
