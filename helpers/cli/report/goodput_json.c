/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"
#include "helpers/cli/report/goodput.h"

#include <stdlib.h>

static bool add_parts(cJSON *to, const int64_t ms[PART_COUNT])
{
	cJSON *o = cJSON_AddObjectToObject(to, "parts");
	char name[32];

	for (int i = 0; o && i < PART_COUNT; i++) {
		snprintf(name, sizeof(name), "%s_s", part_word((enum part)i));
		if (!json_add_ms(o, name, (double)ms[i]))
			return false;
	}
	return o;
}

static bool add_ratio(cJSON *to, const struct goodput_sum *sum, bool on_nodes,
		      const char *name)
{
	cJSON *o;
	double low, high;

	if (!goodput_ratio(sum, on_nodes, &low, &high))
		return cJSON_AddNullToObject(to, name);
	o = cJSON_AddObjectToObject(to, name);
	return o && json_add_number(o, "least", low) &&
	       json_add_number(o, "most", high);
}

static bool add_steps(cJSON *to, double steps)
{
	return steps < 0 ? (bool)cJSON_AddNullToObject(to, "lost_steps")
			 : json_add_number(to, "lost_steps", steps);
}

static bool add_sum(cJSON *to, const struct goodput_sum *sum)
{
	return json_add_ms(to, "wall_s", (double)sum->wall_ms) &&
	       json_add_ms(to, "wait_s", (double)sum->wait_ms) &&
	       add_parts(to, sum->ms) && add_ratio(to, sum, false, "ettr") &&
	       add_ratio(to, sum, true, "ettr_on_nodes") &&
	       add_steps(to, sum->lost_steps) &&
	       json_add_number(to, "interruptions", sum->ntroubles) &&
	       json_add_number(to, "lost_unknown", sum->nunknown) &&
	       json_add_ms(to, "lost_unknown_most_s", (double)sum->unsure_ms);
}

static bool add_costs(cJSON *to, const char *name, const struct goodput *g,
		      size_t n, bool by_node)
{
	cJSON *array = cJSON_AddArrayToObject(to, name);
	size_t count;
	struct goodput_cost *cost = goodput_costs(g, n, by_node, &count);
	bool ok = array;

	for (size_t i = 0; ok && i < count; i++) {
		cJSON *o = json_append(array);

		ok = o &&
		     json_add_text(o, by_node ? "node" : "cause",
				   cost[i].name) &&
		     json_add_number(o, "n", cost[i].n) &&
		     add_parts(o, cost[i].ms);
	}
	free(cost);
	return ok;
}

static bool add_lives(cJSON *to, const struct goodput *g)
{
	cJSON *array = cJSON_AddArrayToObject(to, "lives");
	int64_t ms[PART_COUNT];

	for (size_t i = 0; array && i < g->job->nlives; i++) {
		const struct goodput_life *l = &g->job->life[i];
		int64_t from_ms = life_sum(g, i, ms);
		cJSON *o = json_append(array);

		if (!o || !json_add_number(o, "requeue", (double)l->requeue) ||
		    (from_ms >= 0 &&
		     !json_add_ms(o, "begin", (double)from_ms)) ||
		    !json_add_number(o, "steps", (double)l->nsteps) ||
		    !add_parts(o, ms))
			return false;
	}
	return array;
}

static bool add_trouble(cJSON *o, const struct goodput *g,
			const struct trouble *t)
{
	return o && json_add_text(o, "cause", cause_word(t->cause)) &&
	       (!*t->node || json_add_text(o, "node", t->node)) &&
	       (!*t->text || json_add_text(o, "text", t->text)) &&
	       json_add_number(o, "life",
			       (double)g->job->life[t->life].requeue) &&
	       json_add_number(o, "step", (double)t->step) &&
	       json_add_number(o, "round", t->round) &&
	       json_add_ms(o, "at", (double)t->at_ms) &&
	       cJSON_AddBoolToObject(o, "lost_known", !t->unsure_ms) &&
	       add_steps(o, t->lost_steps) && add_parts(o, t->ms);
}

static bool add_troubles(cJSON *to, const struct goodput *g)
{
	cJSON *array = cJSON_AddArrayToObject(to, "events");

	for (size_t i = 0; array && i < g->ntroubles; i++)
		if (!add_trouble(json_append(array), g, &g->trouble[i]))
			return false;
	return array;
}

/* All of the job's time, in order. */
static bool add_spans(cJSON *to, const struct goodput *g)
{
	cJSON *array = cJSON_AddArrayToObject(to, "spans");

	for (size_t i = 0; array && i < g->nspans; i++) {
		const struct span *s = &g->span[i];
		cJSON *o = json_append(array);

		if (!o || !json_add_text(o, "part", part_word(s->part)) ||
		    !json_add_number(o, "life", (double)s->life) ||
		    !json_add_ms(o, "at", (double)s->from_ms) ||
		    !json_add_ms(o, "s", (double)(s->to_ms - s->from_ms)) ||
		    (s->trouble >= 0 &&
		     !json_add_number(o, "event", (double)s->trouble)))
			return false;
	}
	return array;
}

static bool add_remarks(cJSON *to, const struct goodput *g)
{
	cJSON *array = cJSON_AddArrayToObject(to, "notes");
	char remark[REMARK_SIZE];

	for (unsigned i = 0; array && goodput_remark(g, i, remark); i++)
		if (!cJSON_AddItemToArray(array, cJSON_CreateString(remark)))
			return false;
	return array;
}

static bool add_job(cJSON *o, const struct goodput *g)
{
	struct goodput_sum sum = SUM_NEW;

	goodput_add(&sum, g);
	return o && json_add_text(o, "job", g->job->name) &&
	       json_add_number(o, "job_id", (double)g->job->id) &&
	       json_add_text(o, "job_name", goodput_first(g)->job_name) &&
	       (!g->nspans ||
		json_add_ms(o, "begin", (double)g->span[0].from_ms)) &&
	       cJSON_AddBoolToObject(o, "ended", g->job->now_ms < 0) &&
	       add_sum(o, &sum) && add_lives(o, g) && add_troubles(o, g) &&
	       add_spans(o, g) && add_remarks(o, g);
}

bool goodput_json(cJSON *o, const struct goodput *g, size_t n)
{
	cJSON *jobs = o ? cJSON_AddArrayToObject(o, "jobs") : NULL, *total;
	struct goodput_sum sum = SUM_NEW;

	for (size_t i = 0; jobs && i < n; i++) {
		if (!add_job(json_append(jobs), &g[i]))
			return false;
		goodput_add(&sum, &g[i]);
	}
	total = cJSON_AddObjectToObject(o, "total");
	return jobs && total && add_sum(total, &sum) &&
	       add_costs(total, "causes", g, n, false) &&
	       add_costs(total, "nodes", g, n, true);
}
