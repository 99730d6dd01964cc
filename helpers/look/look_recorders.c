/* SPDX-License-Identifier: Apache-2.0 */
/* The sight "recorders": what the communication libraries have recorded. */
#include "helpers/look/look_state.h"

#include "core/facts/rows.h"
#include "helpers/launch/launch_recorders.h"
#include "helpers/watch/watch.h"

#define ANSWER_MS 1000 /* of the time: to tell it */

void recorders_end(struct sight *sight)
{
	struct collecting *collecting = sight_kept(sight);

	if (!collecting)
		return;
	collect_drop(collecting);
	watch_ask_recorders(sight_view(sight)->watch, false);
}

static void done(void *arg, const char *rows)
{
	struct sight *sight = arg;

	sight_keep(sight, NULL); /* it goes by itself */
	watch_ask_recorders(sight_view(sight)->watch, false);
	sight_tell(sight, rows);
}

void recorders_begin(struct sight *sight, const char *words)
{
	struct launch_view *v = sight_view(sight);
	char name[JOB_STEP_SIZE];
	struct collect_wish wish = recorders_wish(v->launch, name);
	struct collecting *collecting;
	struct err unused;

	(void)words;
	sight_keep(sight, NULL);
	if (!v->plan->resolved.recorders) {
		sight_tell(sight,
			   ROW_NOTE("the step has no recorders: start it "
				    "with hang=SECONDS"));
		return;
	}
	watch_ask_recorders(v->watch, true);
	wish.ask = true;
	wish.ms = sight_ms(sight) - ANSWER_MS;
	collecting = collect_begin(v->loop, &wish, done, sight, &unused);
	if (collecting) {
		sight_keep(sight, collecting);
		return;
	}
	watch_ask_recorders(v->watch, false);
	sight_tell(sight, ROW_NOTE("the launcher is out of processes or "
				   "memory"));
}
