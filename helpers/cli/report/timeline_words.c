/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a record, and its times, in words. */
#include "core/base/text.h"
#include "helpers/cli/report/timeline_facts.h"

#include <stdio.h>
#include <string.h>

const char *round_name(unsigned number, char buf[32])
{
	if (number)
		snprintf(buf, 32, "restart %u", number);
	else
		snprintf(buf, 32, "start");
	return buf;
}

void facts_arrival(const struct facts *f, char buf[FACT_SIZE])
{
	const struct slowest *a = &f->arrival;
	char late[32];

	*buf = '\0';
	if (a->life && a->n > 1)
		snprintf(buf, FACT_SIZE,
			 "last to arrive: %s, %s after the median of %u nodes",
			 a->life->node,
			 time_text(a->max_ms - a->median_ms, late), a->n);
}

void facts_output(const struct facts *f, char buf[FACT_SIZE])
{
	const struct slowest *o = &f->output;
	char name[48], time[32], median[32];

	*buf = '\0';
	if (o->life && o->n > 1)
		snprintf(buf, FACT_SIZE,
			 "slowest first output: %s on %s, %s after its start "
			 "(median %s)",
			 life_name(o->life, name), o->life->node,
			 time_text(o->max_ms, time),
			 time_text(o->median_ms, median));
}

void facts_failure(const struct facts *f, char buf[FACT_SIZE])
{
	const struct life *l = f->failed;
	char round[32], end[32], time[32];

	*buf = '\0';
	if (!l && f->stopped)
		snprintf(buf, FACT_SIZE, "%.200s, after %s", f->stopped->text,
			 time_text(f->stopped->at_ms, time));
	if (!l)
		return;
	snprintf(buf, FACT_SIZE,
		 "first failure: rank %u (%s) on %s, %s after %s", l->rank,
		 l->role, l->node, life_end(l, end),
		 time_text(l->at_ms[PHASE_ENDED], time));
	if (f->nrounds > 1)
		text_add(buf, FACT_SIZE, ", ", "in the round \"%s\"",
			 round_name(l->round, round));
}

const char *mark_text(const struct node_mark *m, char buf[FACT_SIZE])
{
	char line[MARK_LINE_SIZE];

	buf[0] = '\0';
	switch (m->mark) {
	case MARK_ROUND:
	case MARK_RUNS:
	case MARK_REPORT:
	case MARK_SAID:
	case MARK_STACKS:
		break;
	default:
		snprintf(buf, FACT_SIZE, "%.255s", mark_line(m, line));
	}
	return buf;
}

void facts_loss(const struct record *r, char buf[FACT_SIZE])
{
	const struct node_mark *first = NULL;
	char text[FACT_SIZE], time[32];
	unsigned n = 0;

	for (size_t i = 0; i < r->nmarks; i++) {
		const struct node_mark *m = &r->mark[i];

		if (m->mark != MARK_LOST && m->mark != MARK_CONDEMNED)
			continue;
		first = first ? first : m;
		n++;
	}
	buf[0] = '\0';
	if (!first)
		return;
	text_add(buf, FACT_SIZE, "", "after %s: %s",
		 time_text(first->at_ms, time), mark_text(first, text));
	if (n > 1)
		text_add(buf, FACT_SIZE, "", "; %u more loss%s later", n - 1,
			 n == 2 ? "" : "es");
}

const char *facts_size(const struct record *r, const struct facts *f,
		       char buf[FACT_SIZE])
{
	unsigned nprocs = r->n ? r->nranks : r->head.world_size;
	unsigned nnodes = r->n ? f->nnodes : r->head.nnodes;
	char time[32];

	snprintf(buf, FACT_SIZE, "%u process%s on %u node%s, %s", nprocs,
		 nprocs == 1 ? "" : "es", nnodes, nnodes == 1 ? "" : "s",
		 time_text(r->end_ms, time));
	if (f->nrounds > 1)
		text_add(buf, FACT_SIZE, ", ", "%u rounds", f->nrounds);
	return buf;
}
