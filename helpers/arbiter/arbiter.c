/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/arbiter/arbiter_state.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define SPARE_LOST_MS 1000 /* until it is said */

/* --- for a reason outside of the step's processes --- */

static void stop(struct arbiter *r, const char *line, int code, long after_s,
		 bool by_signal)
{
	struct arbiter_failure f = arbiter_failure(r, 0, code);
	bool ends = group_is_ending(r->group) && !r->keeps_services;

	snprintf(f.line, sizeof(f.line), "%s", line);
	f.step_signalled = by_signal;
	f.after_s = after_s;
	if (r->failed || r->left)
		return;
	r->stopped = true;
	arbiter_happens(r->group, ends ? EVENT_TOLD : EVENT_STOP, &f);
}

void arbiter_stop(struct arbiter *r, const char *line, int code, long after_s)
{
	stop(r, line, code, after_s, !*line);
}

void arbiter_cancelled(struct arbiter *r, const char *line)
{
	stop(r, line, 128 + SIGTERM, 0, true);
}

/* It was Slurm that has ended it: nobody is blamed. */
static void excuse(struct arbiter_failure *f)
{
	f->step_signalled = true;
	*f->line = '\0';
}

void arbiter_interrupted(struct arbiter *r)
{
	r->interrupted_ms = loop_now_ms();
	for (unsigned i = 0; i < r->ngroups; i++)
		if (r->group[i].state == GROUP_COMPARES &&
		    r->group[i].first.gone)
			excuse(&r->group[i].first);
}

/* --- losses --- */

/* The round ends because of its silence, of which nothing has been said. */
static void say_silence(struct arbiter_group *g,
			const struct arbiter_failure *f)
{
	if (g->state == GROUP_RUNS || !g->first.lost || *g->first.line ||
	    g->first.member != f->member)
		return;
	g->first = *f;
	if (g->state != GROUP_COMPARES)
		group_say_failure(g);
}

void arbiter_note_loss(struct arbiter *r, const struct arbiter_failure *f)
{
	bool counts = !r->stopped && r->group->state != GROUP_DONE;

	if (counts)
		say_silence(r->group, f);
	arbiter_happens(r->group, counts ? EVENT_LOSS : EVENT_NONE, f);
}

/* The others end theirs, which may take as long as is left of its lease: the
 * round is over, even if the node is back by then. Without a place for its
 * ranks they go on until it is sure. */
void arbiter_silent(struct arbiter *r, unsigned member)
{
	const struct arbiter_member *m = &r->member[member];
	struct arbiter_failure f = arbiter_failure(r, member, 128 + SIGKILL);

	f.lost = true;
	if (m->placed && m->state < MEMBER_ENDED &&
	    roster_fence(r->roster, arbiter_node_of(r, member)))
		arbiter_note_loss(r, &f);
}

static void say_spare_lost(const struct arbiter *r, unsigned node)
{
	unsigned left = roster_count_spares(r->roster);
	char name[ROSTER_NAME_SIZE];

	arbiter_say(r, "%s, a spare, is lost: %u spare%s left\n",
		    roster_name(r->roster, node, name), left,
		    left == 1 ? " is" : "s are");
}

/* Those that haven't come back meanwhile, each node once. */
static void on_spares_lost(void *arg)
{
	struct arbiter *r = arg;
	unsigned said = UINT_MAX;

	for (unsigned i = 0; i < r->o.n && !r->stopped; i++) {
		unsigned node = arbiter_node_of(r, i);

		if (!r->member[i].untold)
			continue;
		r->member[i].untold = false;
		if (node != said && !arbiter_is_here(r, i))
			say_spare_lost(r, node);
		said = node;
	}
}

/* With a ladder the step may go on without that launcher. */
static void lose_place(struct arbiter *r, struct arbiter_failure *f)
{
	if (arbiter_has_ladder(r)) {
		arbiter_note_loss(r, f);
		return;
	}
	if (f->gone && r->interrupted_ms &&
	    f->at_ms - r->interrupted_ms < INTERRUPTED_MS)
		excuse(f);
	arbiter_happens(r->member[f->member].group, EVENT_GONE, f);
}

void arbiter_lost(struct arbiter *r, unsigned member, const char *who, int why,
		  long silent_s)
{
	struct arbiter_member *m = &r->member[member];
	struct arbiter_failure f = arbiter_failure(r, member, GONE_CODE);
	const char *rank = group_is_ending(m->group) ? " (no restart)"
						     : " (first failure)";

	if (m->state == MEMBER_GONE || r->left)
		return;
	f.lost = true;
	f.gone = !lost_by_silence(why);
	line_lost(f.line, why, r->o.by_node ? MEMBER_NONE : member, who,
		  silent_s, arbiter_has_ladder(r) ? "" : rank);
	if (!f.gone)
		r->loss = LOSS_NODE;
	else if (r->loss == LOSS_NONE)
		r->loss = LOSS_LAUNCHER;
	roster_lose(r->roster, arbiter_node_of(r, member));
	m->state = MEMBER_GONE;
	if (m->placed) {
		lose_place(r, &f);
		return;
	}
	/* Where all launchers are ended (Ctrl-C, scancel) this one lives for a
	 * moment longer, and nothing is lost */
	m->untold = true;
	loop_arm(r->o.loop, &r->spares_lost, SPARE_LOST_MS);
	arbiter_happens(m->group, EVENT_NONE, NULL);
}

/* Nodes of which only some have come count as lost, too. */
static void lose_absent(struct arbiter *r)
{
	struct arbiter_failure f = arbiter_failure(r, 0, 128 + SIGKILL);
	bool had_loss = group_has_loss(r->group);

	f.lost = true;
	if (roster_wait_no_more(r->roster) && r->loss < LOSS_TASK)
		r->loss = LOSS_TASK;
	for (unsigned i = 0; i < r->o.n; i++)
		if (!arbiter_is_here(r, i))
			roster_lose(r->roster, arbiter_node_of(r, i));
	if (!had_loss && group_has_loss(r->group))
		arbiter_note_loss(r, &f);
}

void arbiter_wait_no_more(struct arbiter *r)
{
	enum group_event event = r->no_more ? EVENT_NONE : EVENT_NO_MORE;

	if (r->left)
		return;
	r->no_more = true;
	if (arbiter_has_ladder(r)) {
		event = EVENT_NONE;
		lose_absent(r);
	}
	for (unsigned i = 0; i < r->ngroups; i++)
		arbiter_happens(&r->group[i], event, NULL);
}

void arbiter_came(struct arbiter *r, unsigned member)
{
	r->member[member].state = MEMBER_NEW;
}

/* --- what has become of the step --- */

enum arbiter_loss arbiter_loss(const struct arbiter *r)
{
	return r->loss;
}

bool arbiter_requeues(const struct arbiter *r)
{
	return r->fate == ROSTER_REQUEUE;
}

unsigned arbiter_restarts(const struct arbiter *r)
{
	return r->group->nrestarts;
}

unsigned arbiter_spares(const struct arbiter *r)
{
	return roster_count_spares(r->roster);
}

/* --- opening and closing --- */

static void on_time(void *arg)
{
	arbiter_happens(arg, EVENT_TIME, NULL);
}

static void make_groups(struct arbiter *r)
{
	for (unsigned i = 0; i < r->ngroups; i++) {
		struct arbiter_group *g = &r->group[i];

		g->arbiter = r;
		g->number = i;
		g->why = "";
		g->timer = (struct loop_timer){.expired = on_time, .arg = g};
		g->pauses.began_ms = loop_now_ms();
	}
	for (unsigned i = 0; i < r->o.n; i++) {
		struct arbiter_group *g =
			&r->group[r->o.group ? r->o.group[i] : 0];

		r->member[i].group = g;
		g->n++;
	}
	r->o.group = NULL;
}

/* Without one nothing takes the place of a member that is lost. */
static int take_roster(struct arbiter *r, struct err *err)
{
	const struct arbiter_recovery *with = r->o.recovery;
	struct ladder none = {.n = 0};
	struct roster_options options = {.nnodes = r->o.n, .ladder = &none};

	if (with) {
		r->roster = with->roster;
		r->node = with->node;
		r->lease_s = with->lease_s;
		return 0;
	}
	r->roster = &r->own_roster;
	return roster_open(&options, r->roster, err);
}

static int make(struct arbiter *r, struct err *err)
{
	r->ngroups = r->nable = r->o.ngroups ? r->o.ngroups : 1;
	r->keeps_services = r->o.ngroups;
	r->spares_lost =
		(struct loop_timer){.expired = on_spares_lost, .arg = r};
	r->member = calloc(r->o.n, sizeof(*r->member));
	r->group = calloc(r->ngroups, sizeof(*r->group));
	if (!r->member || !r->group)
		return err_memory(err);
	if (take_roster(r, err) < 0)
		return -1;
	make_groups(r);
	arbiter_note_places(r);
	return 0;
}

struct arbiter *arbiter_new(const struct arbiter_options *options,
			    struct err *err)
{
	struct arbiter *r = calloc(1, sizeof(*r));

	if (!r) {
		err_memory(err);
		return NULL;
	}
	r->o = *options;
	if (make(r, err) == 0)
		return r;
	arbiter_free(r);
	return NULL;
}

void arbiter_free(struct arbiter *r)
{
	if (!r)
		return;
	arbiter_disarm(r);
	roster_close(&r->own_roster);
	free(r->member);
	free(r->group);
	free(r);
}
