/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/stragglers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 512

/* NAN in ranks that haven't told. */
static void forget(struct stragglers *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		s->report[i] = (struct pace_report){NAN, NAN};
		s->rank[i].told = false;
	}
}

int stragglers_open(unsigned nranks, struct stragglers *ret, struct err *err)
{
	struct stragglers s = {
		.n = nranks,
		.rank = calloc((size_t)nranks + 1, sizeof(*s.rank)),
		.report = calloc((size_t)nranks + 1, sizeof(*s.report)),
	};

	if (!s.rank || !s.report) {
		stragglers_close(&s);
		return err_memory(err);
	}
	forget(&s);
	*ret = s;
	return 0;
}

void stragglers_close(struct stragglers *s)
{
	free(s->rank);
	free(s->report);
	*s = (struct stragglers){0};
}

void stragglers_note(struct stragglers *s, unsigned rank, const char *node,
		     const struct pace_report *report)
{
	struct straggler *r;

	if (rank >= s->n)
		return;
	r = &s->rank[rank];
	r->told = true;
	s->report[rank] = *report;
	snprintf(r->node, sizeof(r->node), "%s", node);
}

static int measure(struct stragglers *s)
{
	double *slower = calloc((size_t)s->n + 1, sizeof(*slower));

	if (!slower)
		return -1;
	slowness(s->report, s->n, slower);
	for (unsigned i = 0; i < s->n; i++)
		s->rank[i].slower = slower[i];
	free(slower);
	return 0;
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
	s->say(s->arg, r->node, line);
}

/* Whether the rank has become slow, or normal. */
static bool changes(struct straggler *r, time_t now)
{
	bool slow = is_slow(r->slower);

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

	if (measure(s) < 0)
		return;
	for (unsigned i = 0; i < s->n; i++)
		if (changes(&s->rank[i], now))
			add(s, &news, &any, i);
	if (any)
		say(s, &news);
	forget(s);
}
