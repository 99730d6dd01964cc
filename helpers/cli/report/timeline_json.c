/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"
#include "helpers/cli/report/timeline_facts.h"

#include <string.h>

static void put_life(struct json *j, const struct life *l)
{
	json_add(j, "rank:%u role:%s node:%s", l->rank, l->role, l->node);
}

static void put_slowest(struct json *j, const struct slowest *s)
{
	json_add(j, "median_s:%f longest_s:%f", s->median_ms / 1000,
		 s->max_ms / 1000);
	put_life(j, s->life);
	json_add(j, "}");
}

static void put_failure(struct json *j, const struct life *l)
{
	if (!l)
		return;
	json_add(j, "first_failure:{");
	put_life(j, l);
	json_add(j, "at_s:%f", l->at_ms[PHASE_ENDED] / 1000);
	json_number(j, l->signal ? "signal" : "code",
		    l->signal ? l->signal : l->code);
	json_add(j, "}");
}

static void put_late(struct json *j, const struct facts *f)
{
	const struct slowest *a = &f->arrival;

	if (a->life) {
		json_add(j, "last_to_arrive:{node:%s after_median_s:%f}",
			 a->life->node, (a->max_ms - a->median_ms) / 1000);
	}
	if (f->output.life) {
		json_add(j, "first_output:{");
		put_slowest(j, &f->output);
	}
}

static void put_phases(struct json *j, const struct facts *f)
{
	json_add(j, "phases:[");
	for (int p = 0; p < PHASE_ENDED; p++) {
		if (!f->phase[p].life)
			continue;
		json_add(j, "{name:%s text:%s", phase_word((enum proc_phase)p),
			 phase_name((enum proc_phase)p));
		put_slowest(j, &f->phase[p]);
	}
	json_add(j, "]");
}

static void put_rounds(struct json *j, const struct facts *f)
{
	char name[32];

	json_add(j, "rounds:[");
	for (unsigned i = 0; i < f->nrounds; i++) {
		const struct round *r = &f->round[i];

		json_add(j,
			 "{name:%s begin_s:%f end_s:%f processes:%u "
			 "failed:%u",
			 round_name(r->number, name), r->from_ms / 1000,
			 r->to_ms / 1000, r->nprocs, r->nfailed);
		put_failure(j, r->failed);
		json_add(j, "}");
	}
	json_add(j, "]");
}

/* What happened to nodes. */
static void put_marks(struct json *j, const struct record *r)
{
	json_add(j, "node_events:[");
	for (size_t i = 0; i < r->nmarks; i++) {
		const struct node_mark *m = &r->mark[i];

		if (!*m->node || m->mark == MARK_REPORT ||
		    m->mark == MARK_PROGRESS)
			continue;
		json_add(j,
			 "{event:%s node:%s round:%u at_s:%f by?:%s "
			 "text?:%s}",
			 mark_word(m->mark), m->node, m->round, m->at_ms / 1000,
			 m->by, m->text);
	}
	json_add(j, "]");
}

/* What a person reads of it, in lines. */
static void put_facts(struct json *j, const struct record *r,
		      const struct facts *f)
{
	char arrival[FACT_SIZE], output[FACT_SIZE], failure[FACT_SIZE],
		loss[FACT_SIZE];

	facts_arrival(f, arrival);
	facts_output(f, output);
	facts_failure(f, failure);
	facts_loss(r, loss);
	json_add(j,
		 "facts:{arrival?:%s output?:%s failure?:%s "
		 "loss?:%s}",
		 arrival, output, failure, loss);
}

static void put_process(struct json *j, const struct life *l)
{
	char end[32], name[48];

	json_add(j, "{");
	put_life(j, l);
	if (strncmp(life_name(l, name), "rank ", 5) != 0)
		json_add(j, "name:%s", name);
	json_add(j, "round:%u", l->round);
	for (int p = 0; p < PHASE_COUNT; p++) {
		snprintf(name, sizeof(name), "%s_s",
			 phase_word((enum proc_phase)p));
		if (l->at_ms[p] != RECORD_NEVER)
			json_number(j, name, l->at_ms[p] / 1000);
	}
	json_add(j, "end:%s failed?:%i by_step?:%i lost?:%i}", life_end(l, end),
		 life_failed(l), l->by_step, l->lost);
}

void timeline_json(struct json *j, const struct record *r,
		   const struct facts *f)
{
	json_add(j,
		 "step:%s job_name:%s framework:%s command:%s "
		 "begin:%f duration_s:%f processes:%u nodes:%u",
		 r->step, r->job_name, r->framework, r->command,
		 r->begin_ms / 1000, r->end_ms / 1000, r->nranks, f->nnodes);
	put_rounds(j, f);
	put_marks(j, r);
	put_late(j, f);
	put_failure(j, f->failed);
	put_phases(j, f);
	put_facts(j, r, f);
	json_add(j, "lives:[");
	for (size_t i = 0; i < r->n; i++)
		put_process(j, &r->life[i]);
	json_add(j, "] skipped_lines:%zu", r->bad);
}
