/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/round/round.h"

#include "core/facts/job_world.h"
#include "core/plan/first_world.h"
#include "core/plan/plan_make.h"
#include "helpers/launch/condemn.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/new_round.h"
#include "helpers/launch/part.h"
#include "helpers/launch/step.h"
#include "helpers/round/round_note.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int round_first(struct launch *l, struct err *err)
{
	const struct job *world;
	struct job own;

	l->step = &l->job;
	world = first_world(&l->request, &l->job, &own, err);
	if (!world)
		return -1;
	if (world == &l->job)
		return 0;
	l->rounds.step = l->job;
	l->step = &l->rounds.step;
	l->job = own;
	return first_places(l->step, l->step->nnodes - own.nnodes,
			    &l->rounds.places, err);
}

/* --- a new world --- */

/* Its facts become those of this launcher; l->plan is made of them later.
 * `places` is taken over. */
static int take_places(struct launch *l, struct places *places, unsigned round,
		       struct err *err)
{
	unsigned before = l->job.place;
	struct job job;

	if (job_world(l->step, places, &job, err) < 0)
		return -1;
	job.round = round;
	job.cores = l->job.cores;
	job_clear(&l->job);
	l->job = job;
	l->rounds.moved = job.place != before;
	places_clear(&l->rounds.before);
	l->rounds.before = l->rounds.places;
	l->rounds.places = *places;
	*places = (struct places){0};
	return 0;
}

static int begin(struct launch *l, unsigned round, const char *text,
		 struct err *err)
{
	__attribute__((cleanup(places_clear))) struct places places = {0};

	if (places_parse(text, l->step->nnodes, &places, err) < 0 ||
	    take_places(l, &places, round, err) < 0)
		return -1;
	launch_begin_round(l);
	return 0;
}

/* MSG_ROUND: ROUND PLACES. It begins here when nothing of the one before runs
 * any more. */
static void on_round(struct launch *l, const char *text)
{
	const char *places = text;
	struct err err;
	long round;

	if (message_number(&places, 1, INT_MAX, &round) < 0 ||
	    round <= l->job.round)
		return;
	parts_leave(l);
	if (!procs_are_gone(&l->procs)) {
		free(l->rounds.next);
		l->rounds.next = strdup(text);
		if (!l->rounds.next)
			launch_fail(l, "out of memory");
		return;
	}
	if (begin(l, (unsigned)round, places, &err) < 0)
		launch_fail(l, err.text);
}

/* --- the end of a round --- */

static void leave(struct launch *l)
{
	if (!l->rounds.ended_ms)
		l->rounds.ended_ms = loop_now_ms();
}

/* MSG_FENCE: all processes end now, by SIGKILL. */
static void on_fence(struct launch *l, const char *text)
{
	(void)text;
	parts_leave(l);
	procs_kill(&l->procs);
	if (procs_are_gone(&l->procs))
		l->procs.all_ended(l->procs.arg);
}

void round_check(struct launch *l)
{
	char *next = l->rounds.next;

	l->rounds.next = NULL;
	if (l->rounds.orphaned)
		launch_leave(l, 128 + SIGKILL);
	else if (next)
		on_round(l, next);
	free(next);
}

void round_orphaned(struct launch *l)
{
	l->rounds.orphaned = true;
	launch_condemn(l, "has lost its slurmstepd, which was killed");
	on_fence(l, "");
}

/* In rounds after the first the launcher of rank 0 says so. */
static void runs(struct launch *l)
{
	if (l->plan.nprocs)
		guard_begin(&l->rounds.guard, &l->loop,
			    request_seconds(&l->request, KEY_LEASE));
	if (l->job.round)
		round_note_runs(l, loop_now_ms() - l->rounds.ended_ms);
	l->rounds.ended_ms = 0;
}

/* --- the part --- */

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.recovery;
}

static int note_first(struct launch *l, struct err *err)
{
	(void)err;
	round_note(l);
	return 0;
}

const struct part rounds_part = {
	.name = "rounds",
	.wanted = is_wanted,
	.open = note_first,
	.messages =
		(const struct part_message[]){
			{MSG_ROUND, on_round},
			{MSG_FENCE, on_fence},
			{0},
		},
	.round = round_note,
	.runs = runs,
	.leave = leave,
};

/* --- what a spare would be --- */

/* The first place is as good as any other. */
int round_as_placed(const struct launch *l, struct as_placed *ret,
		    struct err *err)
{
	unsigned node[1] = {l->step->nodeid};
	struct places places = l->rounds.places, with = {0};
	int rc;

	*ret = (struct as_placed){.plan = l->plan};
	if (!l->plan.spare)
		return 0;
	with.n = places.n;
	with.node = malloc(places.n * sizeof(*with.node));
	if (!with.node)
		return err_memory(err);
	memcpy(with.node, places.node, places.n * sizeof(*with.node));
	with.node[0] = node[0];
	rc = job_world(l->step, &with, &ret->job, err);
	places_clear(&with);
	if (rc < 0)
		return -1;
	ret->job.cores = l->job.cores;
	return plan_make(&l->request, &l->config, &ret->job, &ret->plan, err);
}

void round_as_placed_clear(struct as_placed *placed)
{
	job_clear(&placed->job);
}

void round_clear(struct launch *l)
{
	guard_end(&l->rounds.guard);
	job_clear(&l->rounds.step);
	places_clear(&l->rounds.places);
	places_clear(&l->rounds.before);
	free(l->rounds.next);
	l->rounds = (struct rounds){0};
}
