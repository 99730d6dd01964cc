/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/round/round.h"

#include "core/facts/job_world.h"
#include "core/plan/first_world.h"
#include "core/plan/plan_make.h"
#include "helpers/launch/condemn.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/phase.h"
#include "helpers/launch/step.h"
#include "helpers/node/oom.h"
#include "helpers/round/node_fault.h"
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
 * `places` are those of the round before then. */
static int take_places(struct launch *l, struct places *places, unsigned round,
		       struct err *err)
{
	unsigned before = l->job.place;
	struct places before_places;
	struct job job;

	if (job_world(l->step, places, &job, err) < 0)
		return -1;
	job.round = round;
	job.cores = l->job.cores;
	job_clear(&l->job);
	l->job = job;
	l->rounds.moved = job.place != before;
	before_places = l->rounds.places;
	l->rounds.places = *places;
	*places = before_places;
	return 0;
}

/* All that depends on the plan, for the processes of this node that are. */
static int make_ready(struct launch *l, struct err *err)
{
	node_fault_forget(l);
	bind_clear(&l->bind);
	l->oom_kills = oom_kills("");
	if (launch_plan_again(l, err) < 0 ||
	    bind_here(&l->plan, &l->bind, err) < 0 ||
	    procs_again(&l->procs, launch_count_procs(l), err) < 0 ||
	    launch_input(l, err) < 0)
		return -1;
	return l->output ? output_again(l->output, err) : 0;
}

static int begin(struct launch *l, unsigned round, const char *text,
		 struct err *err)
{
	__attribute__((cleanup(places_clear))) struct places places = {0};

	if (places_parse(text, l->step->nnodes, &places, err) < 0 ||
	    take_places(l, &places, round, err) < 0 || make_ready(l, err) < 0)
		return -1;
	round_note(l, &places);
	phases_begin_round(l);
	return 0;
}

void round_begin(struct launch *l, const char *text)
{
	const char *places = text;
	struct err err;
	long round;

	if (!l->plan.resolved.recovery ||
	    message_number(&places, 1, INT_MAX, &round) < 0 ||
	    round <= l->job.round)
		return;
	round_leave(l);
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

void round_leave(struct launch *l)
{
	if (l->plan.resolved.recovery)
		phases_leave(l);
	if (!l->rounds.ended_ms)
		l->rounds.ended_ms = loop_now_ms();
}

void round_fence(struct launch *l)
{
	round_leave(l);
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
		round_begin(l, next);
	free(next);
}

void round_orphaned(struct launch *l)
{
	l->rounds.orphaned = true;
	launch_condemn(l, "has lost its slurmstepd, which was killed");
	round_fence(l);
}

void round_runs(struct launch *l)
{
	if (l->plan.resolved.recovery && l->plan.nprocs)
		guard_begin(&l->rounds.guard, &l->loop,
			    request_seconds(&l->request, KEY_LEASE));
	if (l->plan.resolved.recovery && l->job.round)
		round_note_runs(l, loop_now_ms() - l->rounds.ended_ms);
	l->rounds.ended_ms = 0;
}

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
	free(l->rounds.next);
	l->rounds = (struct rounds){0};
}
