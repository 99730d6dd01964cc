/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/timeline_facts.h"

#include "core/base/text.h"

#include <math.h>
#include <string.h>

/* torch.profiler (Kineto) writes times since the begin of such a part of the
 * time since the epoch, and that begin as baseTimeNanoseconds; viewers read the
 * first alone. With the same begin both lie over each other. */
#define BASE_MS 7889238000.0

/* Our processes are nodes: no process of a node has such a number. */
#define PID_BASE 5000000u

struct trace {
	FILE *f;
	const struct record *r;
	double offset_us; /* of the record's begin, since the base */
	size_t n;	  /* events so far */
};

/* Between two events */
static void next(struct trace *t)
{
	fputs(t->n++ ? ",\n" : "\n", t->f);
}

static void put_text(FILE *f, const char *text)
{
	char buf[JSON_QUOTE_SIZE(sizeof(((struct record *)0)->command))];

	fputs(json_quote(text, buf, sizeof(buf)), f);
}

static double time_us(const struct trace *t, double ms)
{
	return t->offset_us + ms * 1000;
}

static void put_name(struct trace *t, const char *kind, unsigned pid,
		     unsigned tid, const char *name)
{
	next(t);
	fprintf(t->f,
		"{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%u,\"tid\":%u,"
		"\"args\":{\"name\":",
		kind, pid, tid);
	put_text(t->f, name);
	fprintf(t->f,
		"}},\n{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%u,"
		"\"tid\":%u,\"args\":{\"sort_index\":%u}}",
		kind, pid, tid, strcmp(kind, "thread") ? pid : tid);
}

/* The last phase has how the process ended. */
static void put_phase(struct trace *t, const struct life *l, unsigned pid,
		      enum proc_phase phase)
{
	double from, to;
	char round[32], end[32];

	if (!life_phase(t->r, l, phase, &from, &to))
		return;
	next(t);
	fprintf(t->f,
		"{\"ph\":\"X\",\"cat\":\"dist-train\",\"name\":\"%s\","
		"\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
		"\"args\":{\"round\":\"%s\"",
		phase_name(phase), pid, l->rank, time_us(t, from),
		(to - from) * 1000, round_name(l->round, round));
	if (to == l->at_ms[PHASE_ENDED])
		fprintf(t->f, ",\"end\":\"%s\",\"by_step\":%s",
			life_end(l, end), l->by_step ? "true" : "false");
	fputs("}}", t->f);
}

static void put_life(struct trace *t, const struct life *l, unsigned pid)
{
	char end[32];

	for (int p = 0; p < PHASE_COUNT; p++)
		put_phase(t, l, pid, (enum proc_phase)p);
	if (!life_failed(l))
		return;
	next(t);
	fprintf(t->f,
		"{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"dist-train\","
		"\"name\":\"failed: %s\",\"pid\":%u,\"tid\":%u,"
		"\"ts\":%.3f}",
		life_end(l, end), pid, l->rank,
		time_us(t, l->at_ms[PHASE_ENDED]));
}

/* Lives are by rank, and the ranks of a node mostly follow each other: a node
 * is searched for among those before only where it changes. Each node has the
 * number of its first rank. */
static unsigned find_pid(const struct record *r, size_t at, unsigned pid,
			 bool *ret_new)
{
	const struct life *l = &r->life[at];

	*ret_new = false;
	if (at && !strcmp(l->node, l[-1].node))
		return pid;
	for (size_t i = 0; i < at; i++)
		if (!strcmp(r->life[i].node, l->node))
			return PID_BASE + r->life[i].rank;
	*ret_new = true;
	return PID_BASE + l->rank;
}

static void put_lives(struct trace *t)
{
	unsigned pid = 0;
	char name[48];
	bool new;

	for (size_t i = 0; i < t->r->n; i++) {
		const struct life *l = &t->r->life[i];

		pid = find_pid(t->r, i, pid, &new);
		if (new)
			put_name(t, "process", pid, 0, l->node);
		if (!i || l[-1].rank != l->rank)
			put_name(t, "thread", pid, l->rank, life_name(l, name));
		put_life(t, l, pid);
	}
}

static void put_marks(struct trace *t)
{
	char text[MARK_LINE_SIZE];

	for (size_t i = 0; i < t->r->nmarks; i++) {
		const struct node_mark *m = &t->r->mark[i];

		if (!*mark_line(m, text))
			continue;
		next(t);
		fputs("{\"ph\":\"i\",\"s\":\"g\",\"cat\":\"dist-train\","
		      "\"name\":",
		      t->f);
		put_text(t->f, text);
		fprintf(t->f, ",\"pid\":%u,\"tid\":0,\"ts\":%.3f}", PID_BASE,
			time_us(t, m->at_ms));
	}
}

void timeline_trace(FILE *f, const void *arg)
{
	const struct record *r = arg;
	double base_ms = floor(r->begin_ms / BASE_MS) * BASE_MS;
	struct trace t = {f, r, (r->begin_ms - base_ms) * 1000, 0};

	fprintf(f,
		"{\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":%.0f,"
		"\"otherData\":{\"step\":",
		base_ms * 1e6);
	put_text(f, r->step);
	fputs(",\"job_name\":", f);
	put_text(f, r->job_name);
	fputs(",\"framework\":", f);
	put_text(f, r->framework);
	fputs(",\"command\":", f);
	put_text(f, r->command);
	fputs("},\"traceEvents\":[", f);
	put_lives(&t);
	put_marks(&t);
	fputs("\n]}\n", f);
}
