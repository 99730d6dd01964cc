/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/err.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/report/goodput.h"

#include <math.h>

static void put_parts(struct json *j, const int64_t ms[PART_COUNT])
{
	char name[32];

	json_add(j, "parts:{");
	for (int i = 0; i < PART_COUNT; i++) {
		snprintf(name, sizeof(name), "%s_s", part_word((enum part)i));
		json_number(j, name, (double)ms[i] / 1000);
	}
	json_add(j, "}");
}

static void put_ratio(struct json *j, const struct goodput_sum *sum,
		      bool on_nodes, const char *name)
{
	double low, high;

	if (goodput_ratio(sum, on_nodes, &low, &high)) {
		json_open(j, name, '{');
		json_add(j, "least:%g most:%g}", low, high);
	} else {
		json_number(j, name, NAN);
	}
}

static void put_steps(struct json *j, double steps)
{
	json_add(j, "lost_steps:%g", steps < 0 ? NAN : steps);
}

static void put_sum(struct json *j, const struct goodput_sum *sum)
{
	json_add(j, "wall_s:%f wait_s:%f", (double)sum->wall_ms / 1000,
		 (double)sum->wait_ms / 1000);
	put_parts(j, sum->ms);
	put_ratio(j, sum, false, "ettr");
	put_ratio(j, sum, true, "ettr_on_nodes");
	put_steps(j, sum->lost_steps);
	json_add(j,
		 "interruptions:%u lost_unknown:%u "
		 "lost_unknown_most_s:%f",
		 sum->ntroubles, sum->nunknown, (double)sum->unsure_ms / 1000);
}

static void put_costs(struct json *j, const struct goodput *g, size_t n,
		      bool by_node)
{
	size_t count;
	cleanup_free struct goodput_cost *cost =
		goodput_costs(g, n, by_node, &count);

	json_open(j, by_node ? "nodes" : "causes", '[');
	for (size_t i = 0; i < count; i++) {
		json_add(j, "{");
		json_text(j, by_node ? "node" : "cause", cost[i].name);
		json_add(j, "n:%u", cost[i].n);
		put_parts(j, cost[i].ms);
		json_add(j, "}");
	}
	json_add(j, "]");
}

static void put_lives(struct json *j, const struct goodput *g)
{
	int64_t ms[PART_COUNT];

	json_add(j, "lives:[");
	for (size_t i = 0; i < g->job->nlives; i++) {
		const struct goodput_life *l = &g->job->life[i];
		int64_t from_ms = life_sum(g, i, ms);

		json_add(j, "{requeue:%lu begin?:%f steps:%zu", l->requeue,
			 from_ms < 0 ? NAN : (double)from_ms / 1000, l->nsteps);
		put_parts(j, ms);
		json_add(j, "}");
	}
	json_add(j, "]");
}

static void put_roles(struct json *j, const struct goodput *g)
{
	char name[32];

	json_add(j, "roles:[");
	for (size_t i = 0; i < g->nroles; i++) {
		const struct goodput_role *r = &g->role[i];

		json_add(j, "{role:%s worlds:%u restarts:%u parts:{", r->name,
			 r->worlds, r->restarts);
		for (int k = 0; k < WORLD_PART_COUNT; k++) {
			snprintf(name, sizeof(name), "%s_s",
				 world_part_word((enum world_part)k));
			json_number(j, name, (double)r->ms[k] / 1000);
		}
		json_add(j, "}}");
	}
	json_add(j, "]");
}

static void put_troubles(struct json *j, const struct goodput *g)
{
	json_add(j, "events:[");
	for (size_t i = 0; i < g->ntroubles; i++) {
		const struct trouble *t = &g->trouble[i];

		json_add(j,
			 "{cause:%s node?:%s text?:%s life:%lu step:%lu "
			 "round:%u at:%f lost_known:%i",
			 cause_word(t->cause), t->node, t->text,
			 g->job->life[t->life].requeue, t->step, t->round,
			 (double)t->at_ms / 1000, !t->unsure_ms);
		put_steps(j, t->lost_steps);
		put_parts(j, t->ms);
		json_add(j, "}");
	}
	json_add(j, "]");
}

/* All of the job's time, in order. */
static void put_spans(struct json *j, const struct goodput *g)
{
	json_add(j, "spans:[");
	for (size_t i = 0; i < g->nspans; i++) {
		const struct span *s = &g->span[i];

		json_add(j, "{part:%s life:%zu at:%f s:%f event?:%d}",
			 part_word(s->part), s->life, (double)s->from_ms / 1000,
			 (double)(s->to_ms - s->from_ms) / 1000,
			 (int)s->trouble);
	}
	json_add(j, "]");
}

static void put_job(struct json *j, const struct goodput *g)
{
	struct goodput_sum sum = SUM_NEW;
	struct remarks remarks;

	goodput_add(&sum, g);
	goodput_remarks(g, &remarks);
	json_add(j,
		 "{job:%s job_id:%lu job_name:%s begin?:%f "
		 "ended:%i",
		 g->job->name, g->job->id, goodput_first(g)->job_name,
		 g->nspans ? (double)g->span[0].from_ms / 1000 : NAN,
		 g->job->now_ms < 0);
	put_sum(j, &sum);
	put_lives(j, g);
	put_roles(j, g);
	put_troubles(j, g);
	put_spans(j, g);
	json_add(j, "notes:[");
	for (unsigned i = 0; i < remarks.n; i++)
		json_add(j, "%s", remarks.text[i]);
	json_add(j, "]}");
}

void goodput_json(struct json *j, const struct goodput *g, size_t n)
{
	struct goodput_sum sum = SUM_NEW;

	json_add(j, "jobs:[");
	for (size_t i = 0; i < n; i++) {
		put_job(j, &g[i]);
		goodput_add(&sum, &g[i]);
	}
	json_add(j, "] total:{");
	put_sum(j, &sum);
	put_costs(j, g, n, false);
	put_costs(j, g, n, true);
	json_add(j, "}");
}
