/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"
#include "core/base/text_table.h"
#include "helpers/cli/report/timeline_facts.h"

#include <string.h>

/* --- the facts in words --- */

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

void facts_loss(const struct record *r, char buf[FACT_SIZE])
{
	const struct node_mark *first = NULL;
	char text[MARK_LINE_SIZE], time[32];
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
		 time_text(first->at_ms, time), mark_line(first, text));
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

/* --- the summary --- */

static int put_rounds(FILE *f, const struct facts *facts, struct err *err)
{
	static const char *const names[] = {"round", "began at", "lasted",
					    "failed"};
	cleanup_table struct text_table t = {0};
	char name[32], from[32], took[32];

	if (facts->nrounds < 2)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		text_table_column(&t, COLUMN_LEFT, names[i]);
	for (unsigned i = 0; i < facts->nrounds; i++) {
		const struct round *r = &facts->round[i];

		text_table_add(&t, "%s", round_name(r->number, name));
		text_table_add(&t, "%s", time_text(r->from_ms, from));
		text_table_add(&t, "%s",
			       time_text(r->to_ms - r->from_ms, took));
		text_table_add(&t, "%u of %u", r->nfailed, r->nprocs);
	}
	fputc('\n', f);
	return text_table_print(f, &t, err);
}

static int put_phases(FILE *f, const struct facts *facts, struct err *err)
{
	cleanup_table struct text_table t = {0};
	char time[32], name[48];

	if (!facts->nrounds)
		return 0;
	text_table_column(&t, COLUMN_LEFT, "phase");
	text_table_column(&t, COLUMN_LEFT, "median");
	text_table_column(&t, COLUMN_LEFT, "longest");
	for (int p = 0; p < PHASE_ENDED; p++) {
		const struct slowest *s = &facts->phase[p];

		if (!s->life)
			continue;
		text_table_add(&t, "%s", phase_name((enum proc_phase)p));
		text_table_add(&t, "%s", time_text(s->median_ms, time));
		text_table_add(&t, "%s (%s on %s)", time_text(s->max_ms, time),
			       life_name(s->life, name), s->life->node);
	}
	fputc('\n', f);
	return text_table_print(f, &t, err);
}

static void put_facts(FILE *f, const struct facts *facts)
{
	void (*const all[])(const struct facts *facts, char buf[FACT_SIZE]) = {
		facts_arrival, facts_output, facts_failure};
	char text[FACT_SIZE];

	fputc('\n', f);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		all[i](facts, text);
		fprintf(f, "%s%s", text, *text ? "\n" : "");
	}
}

int timeline_text(FILE *f, const struct record *r, const struct facts *facts,
		  struct err *err)
{
	char text[FACT_SIZE], begin[40];

	record_put(f, "step", r->step);
	record_put(f, "job", r->job_name);
	record_put(f, "framework", r->framework);
	record_put(f, "command", r->command);
	record_put(f, "began", utc_text(r->begin_ms, begin));
	record_put(f, "size", facts_size(r, facts, text));
	put_facts(f, facts);
	if (put_rounds(f, facts, err) < 0)
		return -1;
	record_happened(f, r);
	return put_phases(f, facts, err);
}
