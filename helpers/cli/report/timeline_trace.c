/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"
#include "helpers/cli/report/timeline_facts.h"

#include <math.h>
#include <string.h>

/* torch.profiler (Kineto) writes times since the begin of such a part of the
 * time since the epoch, and that begin as baseTimeNanoseconds; viewers read the
 * first alone. With the same begin both lie over each other. */
#define BASE_MS 7889238000.0

/* Our processes are nodes: no process of a node has such a number. */
#define PID_BASE 5000000u

struct trace {
	struct json j;
	const struct record *r;
	double offset_us; /* of the record's begin, since the base */
};

/* To the nanosecond. */
static double time_us(const struct trace *t, double ms)
{
	return round((t->offset_us + ms * 1000) * 1000) / 1000;
}

static void put_name(struct trace *t, const char *kind, unsigned pid,
		     unsigned tid, const char *name)
{
	char both[32];

	json_line(&t->j);
	snprintf(both, sizeof(both), "%s_name", kind);
	json_add(&t->j, "{ph:%s name:%s pid:%u tid:%u args:{name:%s}}", "M",
		 both, pid, tid, name);
	json_line(&t->j);
	snprintf(both, sizeof(both), "%s_sort_index", kind);
	json_add(&t->j, "{ph:%s name:%s pid:%u tid:%u args:{sort_index:%u}}",
		 "M", both, pid, tid, strcmp(kind, "thread") ? pid : tid);
}

/* The last phase has how the process ended. */
static void put_phase(struct trace *t, const struct life *l, unsigned pid,
		      enum proc_phase phase)
{
	double from, to;
	char round[32], end[32];

	if (!life_phase(t->r, l, phase, &from, &to))
		return;
	json_line(&t->j);
	json_add(&t->j,
		 "{ph:%s cat:%s name:%s pid:%u tid:%u ts:%g dur:%f "
		 "args:{round:%s",
		 "X", "dist-train", phase_name(phase), pid, l->rank,
		 time_us(t, from), (to - from) * 1000,
		 round_name(l->round, round));
	if (to == l->at_ms[PHASE_ENDED])
		json_add(&t->j, "end:%s by_step:%i", life_end(l, end),
			 l->by_step);
	json_add(&t->j, "}}");
}

/* `scope`: "t" of its thread, "g" of all. */
static void put_instant(struct trace *t, const char *scope, const char *name,
			unsigned pid, unsigned tid, double at_ms)
{
	json_line(&t->j);
	json_add(&t->j, "{ph:%s s:%s cat:%s name:%s pid:%u tid:%u ts:%g}", "i",
		 scope, "dist-train", name, pid, tid, time_us(t, at_ms));
}

static void put_life(struct trace *t, const struct life *l, unsigned pid)
{
	char end[32], name[48];

	for (int p = 0; p < PHASE_COUNT; p++)
		put_phase(t, l, pid, (enum proc_phase)p);
	snprintf(name, sizeof(name), "failed: %s", life_end(l, end));
	if (life_failed(l))
		put_instant(t, "t", name, pid, l->rank, l->at_ms[PHASE_ENDED]);
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

void timeline_trace(FILE *f, const void *arg)
{
	const struct record *r = arg;
	double base_ms = floor(r->begin_ms / BASE_MS) * BASE_MS;
	struct trace t = {{f, ""}, r, (r->begin_ms - base_ms) * 1000};
	char line[MARK_LINE_SIZE];

	json_add(&t.j,
		 "{displayTimeUnit:%s baseTimeNanoseconds:%lu "
		 "otherData:{step:%s job_name:%s framework:%s command:%s} "
		 "traceEvents:[",
		 "ms", (unsigned long)(base_ms * 1e6), r->step, r->job_name,
		 r->framework, r->command);
	put_lives(&t);
	for (size_t i = 0; i < r->nmarks; i++)
		if (*mark_line(&r->mark[i], line))
			put_instant(&t, "g", line, PID_BASE, 0,
				    r->mark[i].at_ms);
	json_add(&t.j, "]}");
	fputc('\n', f);
}
