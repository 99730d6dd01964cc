/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/timeline_facts.h"

#include "helpers/cli/json_print.h"

#include <string.h>

static bool add_life(cJSON *to, const struct life *l)
{
	return json_add_number(to, "rank", l->rank) &&
	       json_add_text(to, "role", l->role) &&
	       json_add_text(to, "node", l->node);
}

static bool add_slowest(cJSON *o, const struct slowest *s)
{
	return o && json_add_ms(o, "median_s", s->median_ms) &&
	       json_add_ms(o, "longest_s", s->max_ms) && add_life(o, s->life);
}

static bool add_failure(cJSON *to, const char *name, const struct life *l)
{
	cJSON *o;

	if (!l)
		return true;
	o = cJSON_AddObjectToObject(to, name);
	return o && add_life(o, l) &&
	       json_add_ms(o, "at_s", l->at_ms[PHASE_ENDED]) &&
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
	       json_add_ms(o, "after_median_s", s->max_ms - s->median_ms);
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
		    !json_add_text(o, "text", phase_name((enum proc_phase)p)) ||
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
		    !json_add_ms(o, "begin_s", r->from_ms) ||
		    !json_add_ms(o, "end_s", r->to_ms) ||
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
		    !json_add_ms(o, "at_s", m->at_ms) ||
		    (*m->by && !json_add_text(o, "by", m->by)) ||
		    (*m->text && !json_add_text(o, "text", m->text)))
			return false;
	}
	return array != NULL;
}

/* What a person reads of it, in lines. */
static bool add_facts(cJSON *to, const struct record *r, const struct facts *f)
{
	static const char *const names[] = {"arrival", "output", "failure",
					    "loss"};
	char text[4][FACT_SIZE];
	cJSON *o = cJSON_AddObjectToObject(to, "facts");

	facts_arrival(f, text[0]);
	facts_output(f, text[1]);
	facts_failure(f, text[2]);
	facts_loss(r, text[3]);
	for (int i = 0; o && i < 4; i++)
		if (*text[i] && !json_add_text(o, names[i], text[i]))
			return false;
	return o;
}

/* When each phase began. */
static bool add_times(cJSON *o, const struct life *l)
{
	char name[32];

	for (int p = 0; p < PHASE_COUNT; p++) {
		snprintf(name, sizeof(name), "%s_s",
			 phase_word((enum proc_phase)p));
		if (l->at_ms[p] != RECORD_NEVER &&
		    !json_add_ms(o, name, l->at_ms[p]))
			return false;
	}
	return true;
}

static bool add_process(cJSON *o, const struct life *l)
{
	char end[32], name[48];

	return o && add_life(o, l) &&
	       (!strncmp(life_name(l, name), "rank ", 5) ||
		json_add_text(o, "name", name)) &&
	       json_add_number(o, "round", l->round) && add_times(o, l) &&
	       json_add_text(o, "end", life_end(l, end)) &&
	       json_add_flag(o, "failed", life_failed(l)) &&
	       json_add_flag(o, "by_step", l->by_step) &&
	       json_add_flag(o, "lost", l->lost);
}

static bool add_lives(cJSON *to, const struct record *r)
{
	cJSON *array = cJSON_AddArrayToObject(to, "lives");

	for (size_t i = 0; array && i < r->n; i++)
		if (!add_process(json_append(array), &r->life[i]))
			return false;
	return array;
}

bool timeline_json(cJSON *o, const struct record *r, const struct facts *f)
{
	if (!o || !json_add_text(o, "step", r->step) ||
	    !json_add_text(o, "job_name", r->job_name) ||
	    !json_add_text(o, "framework", r->framework) ||
	    !json_add_text(o, "command", r->command) ||
	    !json_add_ms(o, "begin", r->begin_ms) ||
	    !json_add_ms(o, "duration_s", r->end_ms) ||
	    !json_add_number(o, "processes", r->nranks) ||
	    !json_add_number(o, "nodes", f->nnodes) || !add_rounds(o, f) ||
	    !add_marks(o, r) || !add_arrival(o, &f->arrival) ||
	    !add_output(o, &f->output) ||
	    !add_failure(o, "first_failure", f->failed))
		return false;
	return add_phases(o, f) && add_facts(o, r, f) && add_lives(o, r) &&
	       json_add_number(o, "skipped_lines", (double)r->bad);
}
