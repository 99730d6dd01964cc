/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word, *name;
} parts[PART_COUNT] = {
	[PART_QUEUE] = {"queue", "in the queue"},
	[PART_OUTSIDE] = {"outside", "outside of steps"},
	[PART_STARTUP] = {"startup", "start-up"},
	[PART_STAGING] = {"staging", "files to the nodes' disks"},
	[PART_TRAINING] = {"training", "training"},
	[PART_LOST] = {"lost", "lost since the last checkpoint"},
	[PART_DETECTION] = {"detection", "detection of failures"},
	[PART_RESTART] = {"restart", "restart"},
	[PART_UNKNOWN] = {"unknown", "not known"},
};

const char *part_word(enum part part)
{
	return parts[part].word;
}

const char *part_name(enum part part)
{
	return parts[part].name;
}

static const char *const causes[CAUSE_COUNT] = {
	[CAUSE_KILLED] = "killed",	 [CAUSE_OTHER] = "other",
	[CAUSE_CANCELLED] = "cancelled", [CAUSE_TIME_LIMIT] = "time-limit",
	[CAUSE_FAILURE] = "failure",	 [CAUSE_NODE_LOSS] = "node-loss",
	[CAUSE_CONDEMNED] = "condemned", [CAUSE_HANG] = "hang",
	[CAUSE_SIGNALLED] = "signalled",
};

const char *cause_word(enum cause cause)
{
	return causes[cause];
}

/* --- a job's sum --- */

void goodput_add(struct goodput_sum *sum, const struct goodput *g)
{
	bool started = false;

	for (size_t i = 0; i < g->nspans; i++) {
		const struct span *s = &g->span[i];
		int64_t ms = s->to_ms - s->from_ms;

		sum->ms[s->part] += ms;
		sum->wall_ms += ms;
		started |= s->part != PART_QUEUE;
		sum->wait_ms += started ? 0 : ms;
		sum->maybe_ms += s->maybe ? ms : 0;
	}
	for (size_t i = 0; i < g->ntroubles; i++) {
		const struct trouble *t = &g->trouble[i];

		sum->ntroubles++;
		sum->nunknown += t->unsure_ms > 0;
		sum->unsure_ms += t->unsure_ms;
		if (t->lost_steps >= 0)
			sum->lost_steps =
				t->lost_steps +
				(sum->lost_steps > 0 ? sum->lost_steps : 0);
	}
}

bool goodput_ratio(const struct goodput_sum *sum, bool on_nodes,
		   double *ret_low, double *ret_high)
{
	int64_t wall =
		sum->wall_ms - (on_nodes ? sum->ms[PART_QUEUE] : sum->wait_ms);
	int64_t kept = sum->ms[PART_TRAINING];

	if (wall <= 0)
		return false;
	*ret_low = (double)(kept - sum->unsure_ms) / (double)wall;
	*ret_high = (double)(kept + sum->maybe_ms) / (double)wall;
	return true;
}

/* --- by cause and node --- */

static int64_t cost_of(const struct goodput_cost *c)
{
	int64_t sum = 0;

	for (int i = 0; i < PART_COUNT; i++)
		sum += c->ms[i];
	return sum;
}

static int by_cost(const void *a, const void *b)
{
	int64_t x = cost_of(a), y = cost_of(b);

	if (x != y)
		return x < y ? 1 : -1;
	return strcmp(((const struct goodput_cost *)a)->name,
		      ((const struct goodput_cost *)b)->name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct goodput_cost *)a)->name,
		      ((const struct goodput_cost *)b)->name);
}

/* Those of one name, which stand side by side, become one. */
static size_t merge(struct goodput_cost *cost, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct goodput_cost *to = kept ? &cost[kept - 1] : NULL;

		if (!to || strcmp(to->name, cost[i].name) != 0) {
			cost[kept++] = cost[i];
			continue;
		}
		to->n += cost[i].n;
		for (int k = 0; k < PART_COUNT; k++)
			to->ms[k] += cost[i].ms[k];
	}
	return kept;
}

struct goodput_cost *goodput_costs(const struct goodput *g, size_t n,
				   bool by_node, size_t *ret_n)
{
	struct goodput_cost *cost;
	size_t count = 0;

	*ret_n = 0;
	for (size_t i = 0; i < n; i++)
		count += g[i].ntroubles;
	cost = count ? calloc(count, sizeof(*cost)) : NULL;
	if (!cost)
		return NULL;
	count = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < g[i].ntroubles; k++) {
			const struct trouble *t = &g[i].trouble[k];

			if (by_node && !*t->node)
				continue;
			cost[count] = (struct goodput_cost){
				.name = by_node ? t->node
						: cause_word(t->cause),
				.n = 1,
			};
			memcpy(cost[count++].ms, t->ms, sizeof(t->ms));
		}
	qsort(cost, count, sizeof(*cost), by_name);
	*ret_n = merge(cost, count);
	qsort(cost, *ret_n, sizeof(*cost), by_cost);
	return cost;
}
