/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/round/round.h"

#include "core/base/hostlist.h"
#include "core/plan/recovery.h"
#include "helpers/output/timeline.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "helpers/round/round_state.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is said and noted of a round --- */

struct change {
	unsigned place; /* that it had */
	unsigned node;	/* which has none any more */
	unsigned by;	/* who has its place, or PLACE_NONE: the world has
			   fewer places */
	char name[HOSTLIST_NAME_MAX], by_name[HOSTLIST_NAME_MAX];
};

static void name_node(const struct launch_view *v, unsigned node,
		      char ret[HOSTLIST_NAME_MAX])
{
	if (!v->step->nodes || hostlist_nth(v->step->nodes, node, ret) < 0)
		snprintf(ret, HOSTLIST_NAME_MAX, "node %u", node);
}

/* The next node from `place` on that is out of the world. False: no more. */
static bool next_change(const struct launch_view *v,
			const struct places *before, unsigned place,
			struct change *ret)
{
	const struct places *now = &v->rounds->places;

	while (place < before->n &&
	       places_of(now, before->node[place]) != PLACE_NONE)
		place++;
	if (place >= before->n)
		return false;
	ret->place = place;
	ret->node = before->node[place];
	ret->by = PLACE_NONE;
	name_node(v, ret->node, ret->name);
	if (now->n == before->n) {
		ret->by = now->node[place];
		name_node(v, ret->by, ret->by_name);
	}
	return true;
}

/* Its processes run, so long after those of the round before were ended. */
static void round_note_runs(struct launch_view *v, uint64_t after_ms)
{
	char line[256];

	if (v->job->procid != 0)
		return;
	snprintf(line, sizeof(line),
		 "dist-train: round %u runs on %u node%s with %u process%s, "
		 "%.1f s after the one before was ended\n",
		 v->job->round, v->plan->nnodes,
		 v->plan->nnodes == 1 ? "" : "s", v->plan->world_size,
		 v->plan->world_size == 1 ? "" : "es", (double)after_ms / 1000);
	launch_say(v->launch, line);
}

/* --- the record --- */

static void record_changes(struct launch_view *v)
{
	const struct places *before = &v->rounds->before;
	unsigned round = v->job->round;
	struct change c = {.place = 0};
	char more[HOSTLIST_NAME_MAX + 64];

	for (unsigned at = 0; next_change(v, before, at, &c);
	     at = c.place + 1) {
		note_mark(v->launch, round - 1, MARK_LOST, c.name,
			  ",\"why\":\"it has no place any more\"");
		if (c.by == PLACE_NONE)
			continue;
		snprintf(more, sizeof(more), ",\"by\":\"%s\",\"place\":%u",
			 c.by_name, c.place);
		note_mark(v->launch, round, MARK_REPLACED, c.name, more);
	}
}

static void record_round(struct launch_view *v)
{
	cleanup_free char *places = places_text(&v->rounds->places);
	cleanup_free char *more = NULL;

	record_changes(v);
	if (!places ||
	    asprintf(&more,
		     ",\"places\":\"%s\",\"nnodes\":%u,\"world_size\":%u",
		     places, v->plan->nnodes, v->plan->world_size) < 0)
		return;
	note_mark(v->launch, v->job->round, MARK_ROUND, NULL, more);
}

/* The round of v->job begins, with the places of v->rounds. */
static void round_note(struct launch_view *v)
{
	if (v->plan->spare && v->step->localid == 0)
		note_mark(v->launch, v->job->round, MARK_SPARE,
			  v->job->node_name, "");
	if (v->job->procid == 0)
		record_round(v);
	if (v->rounds->before.n)
		timeline_all(v->timeline, v->plan, PHASE_WAITING);
}

/* --- rounds --- */

int round_first(struct launch *l, struct err *err)
{
	struct launch_view *v = launch_view(l);
	const struct job *world;
	struct job own;

	v->step = v->job;
	world = first_world(v->request, v->job, &own, err);
	if (!world)
		return -1;
	if (world == v->job)
		return 0;
	v->rounds = calloc(1, sizeof(*v->rounds));
	if (!v->rounds) {
		job_clear(&own);
		return err_memory(err);
	}
	v->rounds->step = *v->job;
	*v->job = own;
	v->step = &v->rounds->step;
	return first_places(v->step, v->step->nnodes - own.nnodes,
			    &v->rounds->places, err);
}

/* --- a new world --- */

/* Its facts become those of this launcher; v->plan is made of them later.
 * `places` is taken over. */
static int take_places(struct launch_view *v, struct places *places,
		       unsigned round, struct err *err)
{
	struct job job;

	if (job_world(v->step, places, &job, err) < 0)
		return -1;
	job.round = round;
	job.cores = v->job->cores;
	job_clear(v->job);
	*v->job = job;
	places_clear(&v->rounds->before);
	v->rounds->before = v->rounds->places;
	v->rounds->places = *places;
	*places = (struct places){0};
	return 0;
}

static int begin(struct launch_view *v, unsigned round, const char *text,
		 struct err *err)
{
	__attribute__((cleanup(places_clear))) struct places places = {0};

	if (places_parse(text, v->step->nnodes, &places, err) < 0 ||
	    take_places(v, &places, round, err) < 0)
		return -1;
	launch_begin_round(v->launch);
	return 0;
}

/* MSG_ROUND: ROUND [PLACES]. In place it begins at once, with a plan of its
 * own: the port differs. With places it begins when nothing of the one before
 * runs here any more. */
static void on_round(struct launch *l, const char *text)
{
	struct launch_view *v = launch_view(l);
	const char *places = text;
	struct err err;
	long round;

	if (message_number(&places, 1, INT_MAX, &round) < 0 ||
	    round <= v->job->round || !*places != !v->rounds)
		return;
	if (!v->rounds) {
		v->job->round = (unsigned)round;
		return launch_begin_round(l);
	}
	parts_leave(l);
	if (!procs_are_gone(v->procs)) {
		free(v->rounds->next);
		v->rounds->next = strdup(text);
		if (!v->rounds->next)
			launch_fail(l, "out of memory");
		return;
	}
	if (begin(v, (unsigned)round, places, &err) < 0)
		launch_fail(l, err.text);
}

/* --- the end of a round --- */

static void leave(struct launch *l)
{
	struct rounds *rounds = launch_view(l)->rounds;

	if (rounds && !rounds->ended_ms)
		rounds->ended_ms = loop_now_ms();
}

/* MSG_FENCE: all processes end now, by SIGKILL. */
static void on_fence(struct launch *l, const char *text)
{
	struct procs *procs = launch_view(l)->procs;

	(void)text;
	parts_leave(l);
	procs_kill(procs);
	if (procs_are_gone(procs))
		procs->all_ended(procs->arg);
}

void round_check(struct launch *l)
{
	struct rounds *rounds = launch_view(l)->rounds;
	char *next;

	if (!rounds)
		return;
	next = rounds->next;
	rounds->next = NULL;
	if (rounds->orphaned)
		launch_leave(l, 128 + SIGKILL);
	else if (next)
		on_round(l, next);
	free(next);
}

void round_orphaned(struct launch *l)
{
	launch_view(l)->rounds->orphaned = true;
	launch_condemn(l, "has lost its slurmstepd, which was killed");
	on_fence(l, "");
}

/* In rounds after the first the launcher of rank 0 says so. */
static void runs(struct launch *l)
{
	struct launch_view *v = launch_view(l);

	if (!v->rounds)
		return;
	if (v->plan->nprocs)
		guard_begin(&v->rounds->guard, v->loop,
			    request_seconds(v->request, KEY_LEASE));
	if (v->job->round)
		round_note_runs(v, loop_now_ms() - v->rounds->ended_ms);
	v->rounds->ended_ms = 0;
}

/* --- the part --- */

static void note(struct launch *l)
{
	const struct launch_view *v = launch_view(l);
	char more[64];

	if (v->rounds)
		return round_note(launch_view(l));
	if (v->job->procid != 0)
		return;
	snprintf(more, sizeof(more), ",\"nnodes\":%u,\"world_size\":%u",
		 v->plan->nnodes, v->plan->world_size);
	note_mark(l, v->job->round, MARK_ROUND, NULL, more);
}

/* Without recovery that is the step's begin. */
static int note_first(struct launch *l, struct err *err)
{
	(void)err;
	if (launch_view(l)->rounds)
		note(l);
	return 0;
}

const struct part rounds_part = {
	.name = "rounds",
	.open = note_first,
	.messages =
		(const struct part_message[]){
			{MSG_ROUND, on_round},
			{MSG_FENCE, on_fence},
			{0},
		},
	.round = note,
	.runs = runs,
	.leave = leave,
};

/* --- what a spare would be --- */

/* The first place is as good as any other. */
int round_as_placed(const struct launch *l, struct as_placed *ret,
		    struct err *err)
{
	const struct launch_view *v = launch_view(l);
	const struct places *places;
	struct places with = {0};
	int rc;

	*ret = (struct as_placed){.plan = *v->plan};
	if (!v->plan->spare)
		return 0;
	places = &v->rounds->places;
	with.n = places->n;
	with.node = malloc(places->n * sizeof(*with.node));
	if (!with.node)
		return err_memory(err);
	memcpy(with.node, places->node, places->n * sizeof(*with.node));
	with.node[0] = v->step->nodeid;
	rc = job_world(v->step, &with, &ret->job, err);
	places_clear(&with);
	if (rc < 0)
		return -1;
	ret->job.cores = v->job->cores;
	return plan_make(v->request, v->config, &ret->job, &ret->plan, err);
}

void round_as_placed_clear(struct as_placed *placed)
{
	job_clear(&placed->job);
}

void round_clear(struct launch *l)
{
	struct launch_view *v = launch_view(l);
	struct rounds *rounds = v->rounds;

	v->rounds = NULL;
	if (!rounds)
		return;
	job_clear(&rounds->step);
	places_clear(&rounds->places);
	places_clear(&rounds->before);
	free(rounds->next);
	free(rounds);
}
