/* SPDX-License-Identifier: Apache-2.0 */
/* One step for a browser: what the commands timeline, why and goodput tell of
 * its record, together. */
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"
#include "helpers/cli/report/goodput.h"
#include "helpers/cli/report/timeline_facts.h"
#include "helpers/cli/report/why_now.h"

#include <stdio.h>

static bool add_timeline(cJSON *to, const struct record *r)
{
	struct facts facts;
	struct err err;
	bool ok = facts_find(r, &facts, &err) == 0 &&
		  timeline_json(json_add_new(to, "timeline"), r, &facts);

	facts_clear(&facts);
	return ok;
}

/* Of a job that has no other step. */
static bool add_goodput(cJSON *to, const struct record *r)
{
	struct goodput_step step = {.record = *r};
	struct goodput_life life = {
		.submit_ms = TIME_UNKNOWN,
		.start_ms = TIME_UNKNOWN,
		.end_ms = TIME_UNKNOWN,
		.step = &step,
		.nsteps = 1,
	};
	struct goodput_job job = {
		.life = &life,
		.nlives = 1,
		.now_ms = TIME_UNKNOWN,
	};
	struct goodput g;
	struct err err;
	bool ok;

	sscanf(r->step, "%lu.%lu.%lu", &job.id, &step.number, &life.requeue);
	snprintf(job.name, sizeof(job.name), "%lu", job.id);
	if (goodput_count(&job, &g, &err) < 0)
		return false;
	ok = goodput_json(json_add_new(to, "goodput"), &g, 1);
	goodput_clear(&g);
	return ok;
}

int step_page(const char *path, const struct why *why, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	const struct record *r = why->record;
	bool ok = o && why_json(json_add_new(o, "why"), why) &&
		  (!r || (add_timeline(o, r) && add_goodput(o, r)));

	return page_write(path, ok ? o : NULL, err);
}
