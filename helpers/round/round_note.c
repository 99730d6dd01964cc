/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to the world, for the step's record, and that it runs again, for
 * the user: each line once, by the launcher of rank 0; a spare writes for
 * itself. Who is lost and who replaces it the arbiter has said by then.
 */
#include "helpers/round/round_state.h"

#include "core/base/hostlist.h"
#include "helpers/output/timeline.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void round_note_runs(struct launch_view *v, uint64_t after_ms)
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

void round_note(struct launch_view *v)
{
	if (v->plan->spare && v->step->localid == 0)
		note_mark(v->launch, v->job->round, MARK_SPARE,
			  v->job->node_name, "");
	if (v->job->procid == 0)
		record_round(v);
	if (v->rounds->before.n)
		timeline_all(v->timeline, v->plan, PHASE_WAITING);
}
