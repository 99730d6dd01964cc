/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include <time.h>

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

const char *ratio_text(const struct goodput_sum *sum, bool on_nodes,
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

const char *moment_text(int64_t ms, char buf[40])
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm;

	if (!gmtime_r(&t, &tm) ||
	    !strftime(buf, 40, "%Y-%m-%d %H:%M:%S UTC", &tm))
		*buf = '\0';
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

static bool remark_missing(const struct goodput *g, char buf[REMARK_SIZE])
{
	unsigned long first = 0, n = missing(g, &first);

	if (n == 1)
		snprintf(buf, REMARK_SIZE,
			 "run %lu has no record: its time isn't known", first);
	else if (n)
		snprintf(buf, REMARK_SIZE,
			 "%lu runs have no record, the first is run %lu: "
			 "their time isn't known",
			 n, first);
	return n;
}

static bool remark_queue(const struct goodput *g, char buf[REMARK_SIZE])
{
	unsigned n = 0;

	for (size_t i = 0; i < g->job->nlives; i++)
		n += g->job->life[i].submit_ms < 0;
	if (n)
		snprintf(buf, REMARK_SIZE,
			 "when it was submitted isn't known of %u of %zu runs: "
			 "their time in the queue isn't, either",
			 n, g->job->nlives);
	return n;
}

static bool remark_overlap(const struct goodput *g, char buf[REMARK_SIZE])
{
	char time[32];

	if (g->overlap_ms)
		snprintf(buf, REMARK_SIZE,
			 "steps ran side by side: %s count once, for the one "
			 "that began first",
			 time_text((double)g->overlap_ms, time));
	return g->overlap_ms;
}

static bool remark_clock(const struct goodput *g, char buf[REMARK_SIZE])
{
	if (g->backwards)
		snprintf(buf, REMARK_SIZE,
			 "a clock has gone backwards: what one run says of "
			 "the time of another doesn't count");
	return g->backwards;
}

static bool remark_lost(const struct goodput *g, char buf[REMARK_SIZE])
{
	struct goodput_sum sum = SUM_NEW;

	goodput_add(&sum, g);
	if (sum.nunknown)
		snprintf(buf, REMARK_SIZE,
			 "what was lost isn't known of %u of %u interruptions: "
			 "no record says when the last checkpoint was written "
			 "(key progress-file)",
			 sum.nunknown, sum.ntroubles);
	return sum.nunknown;
}

bool goodput_remark(const struct goodput *g, unsigned n, char buf[REMARK_SIZE])
{
	static bool (*const remarks[])(const struct goodput *g,
				       char buf[REMARK_SIZE]) = {
		remark_missing, remark_queue, remark_overlap,
		remark_clock,	remark_lost,
	};

	for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks); i++)
		if (remarks[i](g, buf) && !n--)
			return true;
	return false;
}
