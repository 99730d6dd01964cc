/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#ifndef DT_HELPERS_ROUND_ROUND_STATE_H
#define DT_HELPERS_ROUND_ROUND_STATE_H

#include "core/facts/places.h"
#include "helpers/part/launch_view.h"
#include "helpers/round/guard.h"

/* The rounds of a step that outlives a lost node. */
struct rounds {
	struct job step;      /* what the view's `step` is */
	struct places places; /* of this round */
	struct places before; /* of the one before; none for the first */
	char *next;	      /* its MSG_ROUND; NULL: nobody waits for one */
	uint64_t ended_ms; /* when the round before was ended; 0: it wasn't */
	bool orphaned;	   /* slurmstepd is gone: leave when all have ended */
	struct guard guard;
};

/* --- round_note.c --- */

/* The round of v->job begins, with the places of v->rounds. */
void round_note(struct launch_view *v);

/* Its processes run, so long after those of the round before were ended. */
void round_note_runs(struct launch_view *v, uint64_t after_ms);

#endif
