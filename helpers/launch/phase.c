/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/phase.h"

#include "helpers/launch/address.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/part.h"
#include "helpers/launch/step.h"
#include "helpers/node/oom.h"

static bool is_wanted(const struct launch *l, const struct phase *p)
{
	bool again =
		p->each_round || (l->plan.resolved.recovery && p->each_world);

	if ((l->job.round > 0 && !again) || (l->plan.spare && !p->of_spares))
		return false;
	return !p->wanted || p->wanted(&l->plan);
}

/* The answer may come before address_send_ready() returns. */
static void meet(struct launch *l)
{
	l->walk.meeting = true;
	address_send_ready(l);
}

/* Returns whether the next phase may begin. */
static bool is_passed(struct launch *l, enum phase_state state,
		      const struct err *err)
{
	if (state == PHASE_FAILED)
		launch_fail(l, err->text);
	else if (state == PHASE_DONE && (*l->walk.at)->meets)
		meet(l);
	else
		return state == PHASE_DONE;
	return false;
}

/* What a phase does may end the round, and begin the next one, before it
 * returns. */
static void walk_from(struct launch *l, const struct phase *const *p)
{
	unsigned nleft = l->walk.nleft;
	enum phase_state state;
	struct err err;

	for (; *p; p++) {
		if (!is_wanted(l, *p))
			continue;
		l->walk.at = p;
		state = (*p)->begin(l, &err);
		if (nleft != l->walk.nleft || !is_passed(l, state, &err))
			return;
	}
	l->walk.at = p;
}

void phases_begin(struct launch *l, const struct phase *const *table)
{
	l->walk.table = table;
	walk_from(l, table);
}

void phases_begin_round(struct launch *l)
{
	l->walk.meeting = false;
	walk_from(l, l->walk.table);
}

void phases_leave(struct launch *l)
{
	const struct phase *const *p = l->walk.table;

	for (; p && *p; p++)
		if ((*p)->leave)
			(*p)->leave(l);
	l->walk.nleft++;
	l->walk.meeting = false;
	l->walk.at = p;
}

void phase_done(struct launch *l)
{
	if (!l->walk.at || !*l->walk.at)
		return; /* of a round that has ended */
	if (is_passed(l, PHASE_DONE, NULL))
		walk_from(l, l->walk.at + 1);
}

static void give(struct launch *l, const struct phase *const *p,
		 const char *data, size_t n)
{
	unsigned nleft = l->walk.nleft;
	enum phase_state state;
	struct err err;

	if ((*p)->keep)
		(*p)->keep(l, data, n);
	if (p != l->walk.at || l->walk.meeting)
		return;
	state = (*p)->message(l, data, n, &err);
	if (nleft == l->walk.nleft && is_passed(l, state, &err))
		walk_from(l, p + 1);
}

void phases_message(struct launch *l, char type, const char *data, size_t n)
{
	const struct phase *const *p = l->walk.table;

	while (p && *p && (!(*p)->message || (char)(*p)->takes != type))
		p++;
	if (p && *p)
		give(l, p, data, n);
}

void phases_all_done(struct launch *l)
{
	if (!l->walk.meeting)
		return;
	l->walk.meeting = false;
	walk_from(l, l->walk.at + 1);
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

static int make_round(struct launch *l, struct err *err)
{
	bind_clear(&l->bind);
	l->oom_kills = oom_kills("");
	if (launch_plan_again(l, err) < 0 ||
	    bind_here(&l->plan, &l->bind, err) < 0 ||
	    procs_again(&l->procs, launch_count_procs(l), err) < 0 ||
	    launch_input(l, err) < 0)
		return -1;
	return l->view.output ? output_again(l->view.output, err) : 0;
}

void launch_begin_round(struct launch *l)
{
	struct err err;

	if (make_round(l, &err) < 0)
		return launch_fail(l, err.text);
	parts_round(l);
	phases_begin_round(l);
}

/* --- the part --- */

static void end(struct launch *l)
{
	const struct phase *const *p = l->walk.table;

	for (; p && *p; p++)
		if ((*p)->end)
			(*p)->end(l);
}

static void leave(struct launch *l)
{
	if (l->plan.resolved.recovery)
		phases_leave(l);
}

const struct part phases_part = {
	.name = "phases",
	.close = end,
	.leave = leave,
};
