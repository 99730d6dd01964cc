/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/look/stragglers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE   512
#define RANKS_LEAST 3 /* that report: of two nobody is in the middle */

int stragglers_open(unsigned nranks, struct stragglers *ret, struct err *err)
{
	*ret = (struct stragglers){
		.n = nranks,
		.rank = calloc(nranks ? nranks : 1, sizeof(*ret->rank)),
	};
	return ret->rank ? 0 : err_memory(err);
}

void stragglers_close(struct stragglers *s)
{
	free(s->rank);
	*s = (struct stragglers){0};
}

void stragglers_note(struct stragglers *s, unsigned rank, const char *node,
		     double rate, double busy)
{
	struct straggler *r;

	if (rank >= s->n)
		return;
	r = &s->rank[rank];
	r->told = true;
	r->rate = rate;
	r->busy = busy;
	snprintf(r->node, sizeof(r->node), "%s", node);
}

/* --- how slow each one is --- */

static double by_rate(const struct straggler *r)
{
	return r->rate > 0 ? r->rate : NAN;
}

static double by_busy(const struct straggler *r)
{
	return r->busy > 0 ? 1 / r->busy : NAN;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* NAN: not all who have told tell that, or too few. */
static double median(const struct stragglers *s,
		     double (*of)(const struct straggler *r))
{
	double *all = calloc(s->n + 1, sizeof(*all)), ret = NAN;
	unsigned n = 0, ntold = 0;

	for (unsigned i = 0; all && i < s->n; i++) {
		ntold += s->rank[i].told;
		if (s->rank[i].told && !isnan(of(&s->rank[i])))
			all[n++] = of(&s->rank[i]);
	}
	if (n >= RANKS_LEAST && n == ntold) {
		qsort(all, n, sizeof(*all), compare);
		ret = (all[(n - 1) / 2] + all[n / 2]) / 2;
	}
	free(all);
	return ret;
}

static void measure(struct stragglers *s)
{
	double (*of)(const struct straggler *r) = by_busy;
	double middle = median(s, of);

	if (isnan(middle)) {
		of = by_rate;
		middle = median(s, of);
	}
	for (unsigned i = 0; i < s->n; i++)
		s->rank[i].slower =
			s->rank[i].told ? middle / of(&s->rank[i]) : NAN;
}

/* --- what is said --- */

/* Who has changed in this interval: ranks from `first` on, on one node. */
struct news {
	unsigned first, last;
	double slower; /* of the slowest */
	time_t since;
};

static void say(const struct stragglers *s, const struct news *n)
{
	const struct straggler *r = &s->rank[n->first];
	char who[64], since[16], line[LINE_SIZE];
	struct tm tm;

	if (n->last > n->first)
		snprintf(who, sizeof(who), "ranks %u to %u", n->first, n->last);
	else
		snprintf(who, sizeof(who), "rank %u", n->first);
	strftime(since, sizeof(since), "%H:%M", localtime_r(&n->since, &tm));
	if (r->slow)
		snprintf(
			line, sizeof(line),
			"dist-train: %s on %s %s %.1f x slower than the median "
			"since %s\n",
			who, r->node, n->last > n->first ? "are" : "is",
			n->slower, since);
	else
		snprintf(line, sizeof(line),
			 "dist-train: %s on %s %s as fast as the others since "
			 "%s\n",
			 who, r->node, n->last > n->first ? "are" : "is",
			 since);
	s->say(s->arg, line);
}

/* Whether the rank has become slow, or normal. */
static bool changes(struct straggler *r, time_t now)
{
	bool slow = r->slower > STRAGGLER_FACTOR;

	if (!r->told || isnan(r->slower) || slow == r->slow) {
		r->count = 0;
		return false;
	}
	if (!r->count++)
		r->since = now;
	if (r->count < STRAGGLER_INTERVALS)
		return false;
	r->count = 0;
	r->slow = slow;
	return true;
}

/* Whether rank `i` is told in one line with these. */
static bool belongs(const struct stragglers *s, const struct news *n,
		    unsigned i)
{
	const struct straggler *a = &s->rank[n->first], *b = &s->rank[i];

	return i == n->last + 1 && a->slow == b->slow && a->since == b->since &&
	       !strcmp(a->node, b->node);
}

static void add(const struct stragglers *s, struct news *n, bool *any,
		unsigned i)
{
	const struct straggler *r = &s->rank[i];

	if (*any && belongs(s, n, i)) {
		n->last = i;
		if (r->slower > n->slower)
			n->slower = r->slower;
		return;
	}
	if (*any)
		say(s, n);
	*any = true;
	*n = (struct news){i, i, r->slower, r->since};
}

void stragglers_judge(struct stragglers *s, time_t now)
{
	struct news news;
	bool any = false;

	measure(s);
	for (unsigned i = 0; i < s->n; i++)
		if (changes(&s->rank[i], now))
			add(s, &news, &any, i);
	if (any)
		say(s, &news);
	for (unsigned i = 0; i < s->n; i++)
		s->rank[i].told = false;
}
