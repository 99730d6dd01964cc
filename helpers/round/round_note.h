/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to the world, for the step's record, and that it runs again, for
 * the user: each line once, by the launcher of rank 0; a spare writes for
 * itself. Who is lost and who replaces it the arbiter has said by then.
 */
#ifndef DT_HELPERS_ROUND_ROUND_NOTE_H
#define DT_HELPERS_ROUND_ROUND_NOTE_H

#include <stdint.h>

struct launch_view;

/* The round of v->job begins, with the places of v->rounds. */
void round_note(struct launch_view *v);

/* Its processes run, so long after those of the round before were ended. */
void round_note_runs(struct launch_view *v, uint64_t after_ms);

#endif
