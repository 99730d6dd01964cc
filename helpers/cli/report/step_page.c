/* SPDX-License-Identifier: Apache-2.0 */
/* One step for a browser: what the commands timeline, why and goodput tell of
 * its record, together. */
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"
#include "helpers/cli/report/goodput.h"
#include "helpers/cli/report/timeline_facts.h"
#include "helpers/cli/report/why_now.h"

struct page {
	const struct why *why;
	struct facts facts;
	struct goodput goodput;
};

static void put_page(struct json *j, const void *arg)
{
	const struct page *p = arg;
	const struct record *r = p->why->record;

	json_add(j, "why:{schema:%d", JSON_SCHEMA);
	why_json(j, p->why);
	json_add(j, "}");
	if (!r)
		return;
	json_add(j, "timeline:{schema:%d", JSON_SCHEMA);
	timeline_json(j, r, &p->facts);
	json_add(j, "} goodput:{schema:%d", JSON_SCHEMA);
	goodput_json(j, &p->goodput, 1);
	json_add(j, "}");
}

/* As of a job that has no other step. */
static int write_page(const char *path, struct page *p, const struct record *r,
		      struct err *err)
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
	int rc;

	sscanf(r->step, "%lu.%lu.%lu", &job.id, &step.number, &life.requeue);
	snprintf(job.name, sizeof(job.name), "%lu", job.id);
	if (facts_find(r, &p->facts, err) < 0 ||
	    goodput_count(&job, &p->goodput, err) < 0)
		return -1;
	rc = page_write(path, put_page, p, err);
	goodput_clear(&p->goodput);
	return rc;
}

int step_page(const char *path, const struct why *why, struct err *err)
{
	struct page p = {.why = why};
	int rc;

	if (!why->record)
		return page_write(path, put_page, &p, err);
	rc = write_page(path, &p, why->record, err);
	facts_clear(&p.facts);
	return rc;
}
