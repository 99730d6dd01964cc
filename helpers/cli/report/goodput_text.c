/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include "core/base/text.h"
#include "core/base/text_table.h"

#include <stdarg.h>
#include <string.h>

#define TROUBLES_MAX 40 /* lines of them */
#define RATIO_SIZE   64

const struct record *goodput_first(const struct goodput *g)
{
	return &g->job->life[0].step[0].record;
}

int64_t life_sum(const struct goodput *g, size_t life, int64_t ms[PART_COUNT])
{
	int64_t begin_ms = TIME_UNKNOWN;

	for (int i = 0; i < PART_COUNT; i++)
		ms[i] = 0;
	for (size_t i = 0; i < g->nspans; i++) {
		const struct span *s = &g->span[i];

		if (s->life != life)
			continue;
		if (begin_ms < 0)
			begin_ms = s->from_ms;
		ms[s->part] += s->to_ms - s->from_ms;
	}
	return begin_ms;
}

/* "81.2 %", or "between 70.1 % and 81.2 %"; "" where there is no time. Returns
 * buf. */
static const char *ratio_text(const struct goodput_sum *sum, bool on_nodes,
			      char buf[RATIO_SIZE])
{
	double low, high;

	*buf = '\0';
	if (!goodput_ratio(sum, on_nodes, &low, &high))
		return buf;
	snprintf(buf, RATIO_SIZE, "%.1f %%", 100 * low);
	if (high - low >= 0.0005)
		snprintf(buf, RATIO_SIZE, "between %.1f %% and %.1f %%",
			 100 * low, 100 * high);
	return buf;
}

/* --- remarks --- */

/* The first life without a record, before one that has some; and how many. */
static unsigned long missing(const struct goodput *g, unsigned long *ret_first)
{
	unsigned long n = 0, next = 0;

	for (size_t i = 0; i < g->job->nlives; i++) {
		unsigned long requeue = g->job->life[i].requeue;

		if (requeue > next && !n)
			*ret_first = next;
		if (requeue > next)
			n += requeue - next;
		next = requeue + 1;
	}
	return n;
}

static void remark(struct remarks *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void remark(struct remarks *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->text[r->n++], REMARK_SIZE, fmt, ap);
	va_end(ap);
}

static unsigned count_unsubmitted(const struct goodput *g)
{
	unsigned n = 0;

	for (size_t i = 0; i < g->job->nlives; i++)
		n += g->job->life[i].submit_ms < 0;
	return n;
}

void goodput_remarks(const struct goodput *g, struct remarks *ret)
{
	unsigned long first = 0, nmissing = missing(g, &first);
	unsigned nqueues = count_unsubmitted(g);
	struct goodput_sum sum = SUM_NEW;
	char time[32];

	goodput_add(&sum, g);
	ret->n = 0;
	if (nmissing == 1)
		remark(ret, "run %lu has no record: its time isn't known",
		       first);
	else if (nmissing)
		remark(ret,
		       "%lu runs have no record, the first is run %lu: their "
		       "time isn't known",
		       nmissing, first);
	if (nqueues)
		remark(ret,
		       "when it was submitted isn't known of %u of %zu runs: "
		       "their time in the queue isn't, either",
		       nqueues, g->job->nlives);
	if (g->overlap_ms)
		remark(ret,
		       "steps ran side by side: %s count once, for the one "
		       "that began first",
		       time_text((double)g->overlap_ms, time));
	if (g->backwards)
		remark(ret, "a clock has gone backwards: what one run says of "
			    "the time of another doesn't count");
	if (sum.nunknown)
		remark(ret,
		       "what was lost isn't known of %u of %u interruptions: "
		       "no record says when the last checkpoint was written "
		       "(key progress-file)",
		       sum.nunknown, sum.ntroubles);
}

/* --- times --- */

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

static void add_names(struct text_table *t, unsigned columns)
{
	for (int i = 0; i < PART_COUNT; i++)
		if (columns >> i & 1)
			text_table_column(t, COLUMN_RIGHT,
					  part_word((enum part)i));
}

static void add_times(struct text_table *t, unsigned columns,
		      const int64_t ms[PART_COUNT])
{
	char time[32];

	for (int i = 0; i < PART_COUNT; i++)
		if (columns >> i & 1)
			text_table_add(t, "%s",
				       ms[i] ? duration(ms[i], time) : "-");
}

static int put_lives(FILE *f, const struct goodput *g,
		     const struct goodput_sum *sum, struct err *err)
{
	cleanup_table struct text_table t = {.indent = "  "};
	unsigned columns = columns_of(sum->ms);
	int64_t ms[PART_COUNT];
	char begin[40];

	text_table_column(&t, COLUMN_LEFT, "run");
	text_table_column(&t, COLUMN_LEFT, "from");
	add_names(&t, columns);
	for (size_t i = 0; i < g->job->nlives; i++) {
		int64_t from = life_sum(g, i, ms);

		text_table_add(&t, "%lu", g->job->life[i].requeue);
		text_table_add(&t, "%s",
			       from < 0 ? "" : utc_text((double)from, begin));
		add_times(&t, columns, ms);
	}
	fputc('\n', f);
	return text_table_print(f, &t, err);
}

/* Worlds side by side: their times are no parts of the job's. */
static int put_roles(FILE *f, const struct goodput *g, struct err *err)
{
	cleanup_table struct text_table t = {.indent = "  "};
	char time[32];

	if (!g->nroles)
		return 0;
	text_table_column(&t, COLUMN_LEFT, "role");
	text_table_column(&t, COLUMN_RIGHT, "worlds");
	text_table_column(&t, COLUMN_RIGHT, "restarts");
	for (int k = 0; k < WORLD_PART_COUNT; k++)
		text_table_column(&t, COLUMN_RIGHT,
				  world_part_word((enum world_part)k));
	for (size_t i = 0; i < g->nroles; i++) {
		const struct goodput_role *r = &g->role[i];

		text_table_add(&t, "%s", r->name);
		text_table_add(&t, "%u", r->worlds);
		text_table_add(&t, "%u", r->restarts);
		for (int k = 0; k < WORLD_PART_COUNT; k++)
			text_table_add(&t, "%s",
				       r->ms[k] ? duration(r->ms[k], time)
						: "-");
	}
	fputc('\n', f);
	return text_table_print(f, &t, err);
}

static int put_costs(FILE *f, const struct goodput *g, size_t n, bool by_node,
		     struct err *err)
{
	cleanup_table struct text_table t = {.indent = "  "};
	int64_t sum[PART_COUNT] = {0};
	size_t count;
	cleanup_free struct goodput_cost *cost =
		goodput_costs(g, n, by_node, &count);
	unsigned columns;

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < PART_COUNT; k++)
			sum[k] += cost[i].ms[k];
	columns = columns_of(sum);
	text_table_column(&t, COLUMN_LEFT, by_node ? "node" : "cause");
	text_table_column(&t, COLUMN_RIGHT, "n");
	add_names(&t, columns);
	for (size_t i = 0; i < count; i++) {
		text_table_add(&t, "%s", cost[i].name);
		text_table_add(&t, "%u", cost[i].n);
		add_times(&t, columns, cost[i].ms);
	}
	fputc('\n', f);
	return text_table_print(f, &t, err);
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
		fprintf(f, ", %s to %s",
			utc_text((double)g->span[0].from_ms, from),
			g->job->now_ms >= 0
				? "now"
				: utc_text((double)g->span[g->nspans - 1].to_ms,
					   to));
	fputs("\n", f);
}

static int put_job(FILE *f, const struct goodput *g, struct err *err)
{
	struct goodput_sum sum = SUM_NEW;
	struct remarks remarks;

	goodput_add(&sum, g);
	goodput_remarks(g, &remarks);
	put_head(f, g);
	put_sum(f, &sum);
	for (unsigned i = 0; i < remarks.n; i++)
		fprintf(f, "  note: %s\n", remarks.text[i]);
	if (put_lives(f, g, &sum, err) < 0 || put_roles(f, g, err) < 0)
		return -1;
	put_troubles(f, g);
	return 0;
}

int goodput_text(FILE *f, const struct goodput *g, size_t n, struct err *err)
{
	struct goodput_sum sum = SUM_NEW;

	for (size_t i = 0; i < n; i++) {
		fputs(i ? "\n" : "", f);
		if (put_job(f, &g[i], err) < 0)
			return -1;
		goodput_add(&sum, &g[i]);
	}
	if (n > 1) {
		fprintf(f, "\ntotal of %zu jobs\n", n);
		put_sum(f, &sum);
	}
	if (put_costs(f, g, n, false, err) < 0)
		return -1;
	return put_costs(f, g, n, true, err);
}
