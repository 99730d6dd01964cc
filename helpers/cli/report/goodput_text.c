/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define COLUMN	     12
#define TROUBLES_MAX 40 /* lines of them */

static const char *duration(int64_t ms, char buf[32])
{
	return time_text((double)ms, buf);
}

/* --- a sum --- */

static void put_part(FILE *f, const struct goodput_sum *sum, enum part part)
{
	char time[32], steps[64] = "";

	if (part == PART_LOST && sum->lost_steps >= 0)
		snprintf(steps, sizeof(steps), "  %.0f step%s", sum->lost_steps,
			 sum->lost_steps == 1 ? "" : "s");
	if (part == PART_LOST && !sum->ms[part] && sum->nunknown)
		snprintf(time, sizeof(time), "not known");
	else
		duration(sum->ms[part], time);
	if (sum->ms[part] || part == PART_TRAINING || part == PART_LOST)
		fprintf(f, "  %-30s  %12s  %5.1f %%%s\n", part_name(part), time,
			sum->wall_ms ? 100 * (double)sum->ms[part] /
					       (double)sum->wall_ms
				     : 0.0,
			steps);
}

static void put_sum(FILE *f, const struct goodput_sum *sum)
{
	char text[RATIO_SIZE], time[32];

	for (int i = 0; i < PART_COUNT; i++)
		put_part(f, sum, (enum part)i);
	fprintf(f, "  %-30s  %12s\n", "wall time",
		duration(sum->wall_ms, time));
	if (!*ratio_text(sum, false, text))
		return;
	fprintf(f,
		"  effective training time ratio: %s of the time since the "
		"first start\n",
		text);
	if (sum->ms[PART_QUEUE] > sum->wait_ms)
		fprintf(f, "  %-30s %s of the time outside of the queue\n", "",
			ratio_text(sum, true, text));
}

/* --- tables --- */

/* The parts that any of them has: a column each. */
static unsigned columns_of(const int64_t ms[PART_COUNT])
{
	unsigned columns = 0;

	for (int i = 0; i < PART_COUNT; i++)
		columns |= ms[i] ? 1U << i : 0;
	return columns;
}

static void put_names(FILE *f, unsigned columns)
{
	for (int i = 0; i < PART_COUNT; i++)
		if (columns >> i & 1)
			fprintf(f, " %*s", COLUMN, part_word((enum part)i));
	fputs("\n", f);
}

static void put_times(FILE *f, unsigned columns, const int64_t ms[PART_COUNT])
{
	char time[32];

	for (int i = 0; i < PART_COUNT; i++)
		if (columns >> i & 1)
			fprintf(f, " %*s", COLUMN,
				ms[i] ? duration(ms[i], time) : "-");
	fputs("\n", f);
}

static void put_lives(FILE *f, const struct goodput *g,
		      const struct goodput_sum *sum)
{
	unsigned columns = columns_of(sum->ms);
	int64_t ms[PART_COUNT];
	char begin[40];

	fprintf(f, "\n  %-4s  %-23s", "run", "from");
	put_names(f, columns);
	for (size_t i = 0; i < g->job->nlives; i++) {
		int64_t from = life_sum(g, i, ms);

		fprintf(f, "  %-4lu  %-23s", g->job->life[i].requeue,
			from < 0 ? "" : moment_text(from, begin));
		put_times(f, columns, ms);
	}
}

static void put_costs(FILE *f, const struct goodput *g, size_t n, bool by_node)
{
	int64_t sum[PART_COUNT] = {0};
	size_t count;
	struct goodput_cost *cost = goodput_costs(g, n, by_node, &count);
	unsigned columns;

	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < PART_COUNT; k++)
			sum[k] += cost[i].ms[k];
	columns = columns_of(sum);
	if (count) {
		fprintf(f, "\n  %-23s  %4s", by_node ? "node" : "cause", "n");
		put_names(f, columns);
	}
	for (size_t i = 0; i < count; i++) {
		fprintf(f, "  %-23s  %4u", cost[i].name, cost[i].n);
		put_times(f, columns, cost[i].ms);
	}
	free(cost);
}

/* --- a job --- */

static void put_trouble_line(FILE *f, const struct goodput *g,
			     const struct trouble *t)
{
	char time[32], cost[300] = "";

	for (int i = 0; i < PART_COUNT; i++)
		if (t->ms[i])
			text_add(cost, sizeof(cost), ", ", "%s %s",
				 part_word((enum part)i),
				 duration(t->ms[i], time));
	if (t->lost_steps >= 0)
		text_add(cost, sizeof(cost), ", ", "%.0f steps lost",
			 t->lost_steps);
	if (t->unsure_ms)
		text_add(cost, sizeof(cost), ", ", "lost not known");
	fprintf(f, "  %-12s  run %lu, step %lu, round %u: %s%s%s%s%s\n",
		duration(t->at_ms - g->span[0].from_ms, time),
		g->job->life[t->life].requeue, t->step, t->round,
		cause_word(t->cause), *t->node ? ", " : "", t->node,
		*t->text ? ": " : "", t->text);
	fprintf(f, "  %-12s  %s\n", "", cost);
}

/* Of many the first and the last ones. */
static void put_troubles(FILE *f, const struct goodput *g)
{
	size_t half = TROUBLES_MAX / 2;

	if (g->ntroubles)
		fputs("\n  interruptions:\n", f);
	for (size_t i = 0; i < g->ntroubles; i++) {
		if (g->ntroubles > TROUBLES_MAX && i == half) {
			fprintf(f, "  ... %zu more\n", g->ntroubles - 2 * half);
			i = g->ntroubles - half;
		}
		put_trouble_line(f, g, &g->trouble[i]);
	}
}

static size_t count_steps(const struct goodput *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->job->nlives; i++)
		n += g->job->life[i].nsteps;
	return n;
}

static void put_head(FILE *f, const struct goodput *g)
{
	const char *name = goodput_first(g)->job_name;
	size_t lives = g->job->nlives, steps = count_steps(g);
	char from[40], to[40];

	fprintf(f, "job %s%s%s%s: %zu %s, %zu step%s", g->job->name,
		*name ? " (" : "", name, *name ? ")" : "", lives,
		lives == 1 ? "run" : "runs", steps, steps == 1 ? "" : "s");
	if (g->nspans)
		fprintf(f, ", %s to %s", moment_text(g->span[0].from_ms, from),
			g->job->now_ms >= 0
				? "now"
				: moment_text(g->span[g->nspans - 1].to_ms,
					      to));
	fputs("\n", f);
}

static void put_job(FILE *f, const struct goodput *g)
{
	struct goodput_sum sum = SUM_NEW;
	char remark[REMARK_SIZE];

	goodput_add(&sum, g);
	put_head(f, g);
	put_sum(f, &sum);
	for (unsigned i = 0; goodput_remark(g, i, remark); i++)
		fprintf(f, "  note: %s\n", remark);
	put_lives(f, g, &sum);
	put_troubles(f, g);
}

void goodput_text(FILE *f, const struct goodput *g, size_t n)
{
	struct goodput_sum sum = SUM_NEW;

	for (size_t i = 0; i < n; i++) {
		fputs(i ? "\n" : "", f);
		put_job(f, &g[i]);
		goodput_add(&sum, &g[i]);
	}
	if (n > 1) {
		fprintf(f, "\ntotal of %zu jobs\n", n);
		put_sum(f, &sum);
	}
	put_costs(f, g, n, false);
	put_costs(f, g, n, true);
}
