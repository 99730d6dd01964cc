/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/arbiter/arbiter_state.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define SPARE_LOST_MS 1000 /* until it is said */

/* --- for a reason outside of the step's processes --- */

static void stop(struct arbiter *a, const char *line, int code, long after_s,
		 bool by_signal)
{
	struct arbiter_failure f = arbiter_failure(a, 0, code);
	bool ends = group_is_ending(a->group) && !a->keeps_services;

	snprintf(f.line, sizeof(f.line), "%s", line);
	f.step_signalled = by_signal;
	f.after_s = after_s;
	if (a->failed || a->left)
		return;
	a->stopped = true;
	arbiter_happens(a->group, ends ? EVENT_TOLD : EVENT_STOP, &f);
}

void arbiter_stop(struct arbiter *a, const char *line, int code, long after_s)
{
	stop(a, line, code, after_s, !*line);
}

void arbiter_cancelled(struct arbiter *a, const char *line)
{
	stop(a, line, 128 + SIGTERM, 0, true);
}

/* It was Slurm that has ended it: nobody is blamed. */
static void excuse(struct arbiter_failure *f)
{
	f->step_signalled = true;
	*f->line = '\0';
}

void arbiter_interrupted(struct arbiter *a)
{
	a->interrupted_ms = loop_now_ms();
	for (unsigned i = 0; i < a->ngroups; i++)
		if (a->group[i].state == GROUP_COMPARES &&
		    a->group[i].first.gone)
			excuse(&a->group[i].first);
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

void arbiter_note_loss(struct arbiter *a, const struct arbiter_failure *f)
{
	bool counts = !a->stopped && a->group->state != GROUP_DONE;

	if (counts)
		say_silence(a->group, f);
	arbiter_happens(a->group, counts ? EVENT_LOSS : EVENT_NONE, f);
}

/* The others end theirs, which may take as long as is left of its lease: the
 * round is over, even if the node is back by then. Without a place for its
 * ranks they go on until it is sure. */
void arbiter_silent(struct arbiter *a, unsigned member)
{
	const struct arbiter_member *m = &a->member[member];
	struct arbiter_failure f = arbiter_failure(a, member, 128 + SIGKILL);

	f.lost = true;
	if (m->placed && m->state < MEMBER_ENDED &&
	    roster_fence(a->roster, arbiter_node_of(a, member)))
		arbiter_note_loss(a, &f);
}

static void say_spare_lost(const struct arbiter *a, unsigned node)
{
	unsigned left = roster_count_spares(a->roster);
	char name[ROSTER_NAME_SIZE];

	arbiter_say(a, "%s, a spare, is lost: %u spare%s left\n",
		    roster_name(a->roster, node, name), left,
		    left == 1 ? " is" : "s are");
}

/* Those that haven't come back meanwhile, each node once. */
static void on_spares_lost(void *arg)
{
	struct arbiter *a = arg;
	unsigned said = UINT_MAX;

	for (unsigned i = 0; i < a->o.n && !a->stopped; i++) {
		unsigned node = arbiter_node_of(a, i);

		if (!a->member[i].untold)
			continue;
		a->member[i].untold = false;
		if (node != said && !arbiter_is_here(a, i))
			say_spare_lost(a, node);
		said = node;
	}
}

/* With a ladder the step may go on without that launcher. */
static void lose_place(struct arbiter *a, struct arbiter_failure *f)
{
	if (arbiter_has_ladder(a)) {
		arbiter_note_loss(a, f);
		return;
	}
	if (f->gone && a->interrupted_ms &&
	    f->at_ms - a->interrupted_ms < INTERRUPTED_MS)
		excuse(f);
	arbiter_happens(a->member[f->member].group, EVENT_GONE, f);
}

void arbiter_lost(struct arbiter *a, unsigned member, const char *who, int why,
		  long silent_s)
{
	struct arbiter_member *m = &a->member[member];
	struct arbiter_failure f = arbiter_failure(a, member, GONE_CODE);
	const char *rank = group_is_ending(m->group) ? " (no restart)"
						     : " (first failure)";

	if (m->state == MEMBER_GONE || a->left)
		return;
	f.lost = true;
	f.gone = !lost_by_silence(why);
	line_lost(f.line, why, a->o.by_node ? MEMBER_NONE : member, who,
		  silent_s, arbiter_has_ladder(a) ? "" : rank);
	if (!f.gone)
		a->loss = LOSS_NODE;
	else if (a->loss == LOSS_NONE)
		a->loss = LOSS_LAUNCHER;
	roster_lose(a->roster, arbiter_node_of(a, member));
	m->state = MEMBER_GONE;
	if (m->placed) {
		lose_place(a, &f);
		return;
	}
	/* Where all launchers are ended (Ctrl-C, scancel) this one lives for a
	 * moment longer, and nothing is lost */
	m->untold = true;
	loop_arm(a->o.loop, &a->spares_lost, SPARE_LOST_MS);
	arbiter_happens(m->group, EVENT_NONE, NULL);
}

/* Nodes of which only some have come count as lost, too. */
static void lose_absent(struct arbiter *a)
{
	struct arbiter_failure f = arbiter_failure(a, 0, 128 + SIGKILL);
	bool had_loss = group_has_loss(a->group);

	f.lost = true;
	if (roster_wait_no_more(a->roster) && a->loss < LOSS_TASK)
		a->loss = LOSS_TASK;
	for (unsigned i = 0; i < a->o.n; i++)
		if (!arbiter_is_here(a, i))
			roster_lose(a->roster, arbiter_node_of(a, i));
	if (!had_loss && group_has_loss(a->group))
		arbiter_note_loss(a, &f);
}

void arbiter_wait_no_more(struct arbiter *a)
{
	enum group_event event = a->no_more ? EVENT_NONE : EVENT_NO_MORE;

	if (a->left)
		return;
	a->no_more = true;
	if (arbiter_has_ladder(a)) {
		event = EVENT_NONE;
		lose_absent(a);
	}
	for (unsigned i = 0; i < a->ngroups; i++)
		arbiter_happens(&a->group[i], event, NULL);
}

void arbiter_came(struct arbiter *a, unsigned member)
{
	a->member[member].state = MEMBER_NEW;
}

/* --- what has become of the step --- */

enum arbiter_loss arbiter_loss(const struct arbiter *a)
{
	return a->loss;
}

bool arbiter_requeues(const struct arbiter *a)
{
	return a->fate == ROSTER_REQUEUE;
}

unsigned arbiter_restarts(const struct arbiter *a)
{
	return a->group->nrestarts;
}

unsigned arbiter_spares(const struct arbiter *a)
{
	return roster_count_spares(a->roster);
}

/* --- opening and closing --- */

static void on_time(void *arg)
{
	arbiter_happens(arg, EVENT_TIME, NULL);
}

static void make_groups(struct arbiter *a)
{
	for (unsigned i = 0; i < a->ngroups; i++) {
		struct arbiter_group *g = &a->group[i];

		g->arbiter = a;
		g->number = i;
		g->why = "";
		g->timer = (struct loop_timer){.expired = on_time, .arg = g};
		g->pauses.began_ms = loop_now_ms();
	}
	for (unsigned i = 0; i < a->o.n; i++) {
		struct arbiter_group *g =
			&a->group[a->o.group ? a->o.group[i] : 0];

		a->member[i].group = g;
		g->n++;
	}
	a->o.group = NULL;
}

/* Without one nothing takes the place of a member that is lost. */
static int take_roster(struct arbiter *a, struct err *err)
{
	const struct arbiter_recovery *with = a->o.recovery;
	struct ladder none = {.n = 0};
	struct roster_options options = {.nnodes = a->o.n, .ladder = &none};

	if (with) {
		a->roster = with->roster;
		a->node = with->node;
		a->lease_s = with->lease_s;
		return 0;
	}
	a->roster = &a->own_roster;
	return roster_open(&options, a->roster, err);
}

static int make(struct arbiter *a, struct err *err)
{
	a->ngroups = a->nable = a->o.ngroups ? a->o.ngroups : 1;
	a->keeps_services = a->o.ngroups;
	a->spares_lost =
		(struct loop_timer){.expired = on_spares_lost, .arg = a};
	a->member = calloc(a->o.n, sizeof(*a->member));
	a->group = calloc(a->ngroups, sizeof(*a->group));
	if (!a->member || !a->group)
		return err_memory(err);
	if (take_roster(a, err) < 0)
		return -1;
	make_groups(a);
	arbiter_note_places(a);
	return 0;
}

struct arbiter *arbiter_new(const struct arbiter_options *options,
			    struct err *err)
{
	struct arbiter *a = calloc(1, sizeof(*a));

	if (!a)
		return err_memory_null(err);
	a->o = *options;
	if (make(a, err) == 0)
		return a;
	arbiter_free(a);
	return NULL;
}

void arbiter_free(struct arbiter *a)
{
	if (!a)
		return;
	arbiter_disarm(a);
	roster_close(&a->own_roster);
	free(a->member);
	free(a->group);
	free(a);
}
