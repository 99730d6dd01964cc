/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/timeline_facts.h"

#include "helpers/cli/json_print.h"

/* Seconds, to the microsecond. */
static bool add_seconds(cJSON *to, const char *name, double ms)
{
	char text[40];

	snprintf(text, sizeof(text), "%.6f", ms / 1000);
	return cJSON_AddRawToObject(to, name, text) != NULL;
}

static bool add_life(cJSON *to, const struct life *l)
{
	return json_add_number(to, "rank", l->rank) &&
	       json_add_text(to, "role", l->role) &&
	       json_add_text(to, "node", l->node);
}

static bool add_slowest(cJSON *o, const struct slowest *s)
{
	return o && add_seconds(o, "median_s", s->median_ms) &&
	       add_seconds(o, "longest_s", s->max_ms) && add_life(o, s->life);
}

static bool add_failure(cJSON *to, const char *name, const struct life *l)
{
	cJSON *o;

	if (!l)
		return true;
	o = cJSON_AddObjectToObject(to, name);
	return o && add_life(o, l) &&
	       add_seconds(o, "at_s", l->at_ms[PHASE_ENDED]) &&
	       json_add_number(o, l->signal ? "signal" : "code",
			       l->signal ? l->signal : l->code);
}

static bool add_arrival(cJSON *to, const struct slowest *s)
{
	cJSON *o;

	if (!s->life)
		return true;
	o = cJSON_AddObjectToObject(to, "last_to_arrive");
	return o && json_add_text(o, "node", s->life->node) &&
	       add_seconds(o, "after_median_s", s->max_ms - s->median_ms);
}

static bool add_output(cJSON *to, const struct slowest *s)
{
	return !s->life ||
	       add_slowest(cJSON_AddObjectToObject(to, "first_output"), s);
}

static bool add_phases(cJSON *to, const struct facts *f)
{
	cJSON *array = cJSON_AddArrayToObject(to, "phases");

	for (int p = 0; array && p < PHASE_ENDED; p++) {
		cJSON *o;

		if (!f->phase[p].life)
			continue;
		o = json_append(array);
		if (!o ||
		    !json_add_text(o, "name", phase_word((enum proc_phase)p)) ||
		    !add_slowest(o, &f->phase[p]))
			return false;
	}
	return array != NULL;
}

static bool add_rounds(cJSON *to, const struct facts *f)
{
	cJSON *array = cJSON_AddArrayToObject(to, "rounds");
	char name[32];

	for (unsigned i = 0; array && i < f->nrounds; i++) {
		const struct round *r = &f->round[i];
		cJSON *o = json_append(array);

		if (!o ||
		    !json_add_text(o, "name", round_name(r->number, name)) ||
		    !add_seconds(o, "begin_s", r->from_ms) ||
		    !add_seconds(o, "end_s", r->to_ms) ||
		    !json_add_number(o, "processes", r->nprocs) ||
		    !json_add_number(o, "failed", r->nfailed) ||
		    !add_failure(o, "first_failure", r->failed))
			return false;
	}
	return array != NULL;
}

/* What happened to nodes. */
static bool add_marks(cJSON *to, const struct record *r)
{
	cJSON *array = cJSON_AddArrayToObject(to, "node_events");

	for (size_t i = 0; array && i < r->nmarks; i++) {
		const struct node_mark *m = &r->mark[i];
		cJSON *o;

		if (!*m->node || m->mark == MARK_REPORT ||
		    m->mark == MARK_PROGRESS)
			continue;
		o = json_append(array);
		if (!o || !json_add_text(o, "event", mark_word(m->mark)) ||
		    !json_add_text(o, "node", m->node) ||
		    !json_add_number(o, "round", m->round) ||
		    !add_seconds(o, "at_s", m->at_ms) ||
		    (*m->by && !json_add_text(o, "by", m->by)) ||
		    (*m->text && !json_add_text(o, "text", m->text)))
			return false;
	}
	return array != NULL;
}

static bool add_all(cJSON *o, const struct record *r, const struct facts *f)
{
	if (!json_add_text(o, "step", r->step) ||
	    !json_add_text(o, "job_name", r->job_name) ||
	    !json_add_text(o, "framework", r->framework) ||
	    !json_add_text(o, "command", r->command) ||
	    !add_seconds(o, "begin", r->begin_ms) ||
	    !add_seconds(o, "duration_s", r->end_ms) ||
	    !json_add_number(o, "processes", r->nranks) ||
	    !json_add_number(o, "nodes", f->nnodes) || !add_rounds(o, f) ||
	    !add_marks(o, r) || !add_arrival(o, &f->arrival) ||
	    !add_output(o, &f->output) ||
	    !add_failure(o, "first_failure", f->failed))
		return false;
	return add_phases(o, f) &&
	       json_add_number(o, "skipped_lines", (double)r->bad);
}

int timeline_json(FILE *f, const struct record *r, const struct facts *facts,
		  struct err *err)
{
	cleanup_json cJSON *o = json_new();

	return json_print(f, o && add_all(o, r, facts) ? o : NULL, err);
}
