/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/timeline_facts.h"

#include <stdlib.h>
#include <string.h>

/* A life and how long or when it was. */
struct timed {
	const struct life *life;
	double ms;
};

static int by_time(const void *a, const void *b)
{
	double x = ((const struct timed *)a)->ms;
	double y = ((const struct timed *)b)->ms;

	return x < y ? -1 : x > y;
}

static int by_node_then_time(const void *a, const void *b)
{
	int rc = strcmp(((const struct timed *)a)->life->node,
			((const struct timed *)b)->life->node);

	return rc ? rc : by_time(a, b);
}

static int by_round_then_rank(const void *a, const void *b)
{
	const struct life *x = ((const struct timed *)a)->life;
	const struct life *y = ((const struct timed *)b)->life;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The slowest of the first n, which are put in order. */
static struct slowest find_slowest(struct timed *t, unsigned n)
{
	if (!n)
		return (struct slowest){.n = 0};
	qsort(t, n, sizeof(*t), by_time);
	return (struct slowest){
		.life = t[n - 1].life,
		.n = n,
		.median_ms = t[(n - 1) / 2].ms,
		.max_ms = t[n - 1].ms,
	};
}

/* When the first process of each node was there. */
static void find_arrivals(const struct record *r, struct timed *t,
			  struct facts *f)
{
	const char *node = NULL;
	unsigned kept = 0;
	bool there = false;

	for (size_t i = 0; i < r->n; i++)
		t[i] = (struct timed){&r->life[i],
				      r->life[i].at_ms[PHASE_WAITING]};
	qsort(t, r->n, sizeof(*t), by_node_then_time);
	for (size_t i = 0; i < r->n; i++) {
		if (!node || strcmp(node, t[i].life->node) != 0) {
			node = t[i].life->node;
			there = false;
			f->nnodes++;
		}
		if (there || t[i].ms == RECORD_NEVER)
			continue;
		t[kept++] = t[i];
		there = true;
	}
	f->arrival = find_slowest(t, kept);
}

static void find_outputs(const struct record *r, struct timed *t,
			 struct facts *f)
{
	unsigned n = 0;
	double from, to;

	for (size_t i = 0; i < r->n; i++)
		if (r->life[i].round == f->round[0].number &&
		    r->life[i].at_ms[PHASE_RUNNING] != RECORD_NEVER &&
		    life_phase(r, &r->life[i], PHASE_STARTING, &from, &to))
			t[n++] = (struct timed){&r->life[i], to - from};
	f->output = find_slowest(t, n);
}

static void find_phases(const struct record *r, struct timed *t,
			struct facts *f)
{
	double from, to;

	for (int p = 0; p < PHASE_COUNT; p++) {
		unsigned n = 0;

		for (size_t i = 0; i < r->n; i++)
			if (life_phase(r, &r->life[i], (enum proc_phase)p,
				       &from, &to))
				t[n++] = (struct timed){&r->life[i], to - from};
		f->phase[p] = find_slowest(t, n);
	}
}

static void add_to_round(struct round *r, const struct life *l)
{
	r->nprocs++;
	for (int p = 0; p < PHASE_COUNT; p++) {
		if (l->at_ms[p] == RECORD_NEVER)
			continue;
		if (l->at_ms[p] < r->from_ms)
			r->from_ms = l->at_ms[p];
		if (l->at_ms[p] > r->to_ms)
			r->to_ms = l->at_ms[p];
	}
	if (!life_failed(l))
		return;
	r->nfailed++;
	if (!r->failed || l->at_ms[PHASE_ENDED] < r->failed->at_ms[PHASE_ENDED])
		r->failed = l;
}

static int find_rounds(const struct record *r, struct timed *t, struct facts *f,
		       struct err *err)
{
	for (size_t i = 0; i < r->n; i++)
		t[i] = (struct timed){&r->life[i], 0};
	qsort(t, r->n, sizeof(*t), by_round_then_rank);
	for (size_t i = 0; i < r->n; i++)
		f->nrounds += !i || t[i].life->round != t[i - 1].life->round;
	f->round = calloc(f->nrounds + 1, sizeof(*f->round));
	if (!f->round)
		return err_memory(err);
	f->nrounds = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (!i || t[i].life->round != t[i - 1].life->round)
			f->round[f->nrounds++] = (struct round){
				.number = t[i].life->round,
				.from_ms = r->end_ms,
			};
		add_to_round(&f->round[f->nrounds - 1], t[i].life);
	}
	for (unsigned i = 0; i < f->nrounds; i++)
		if (f->round[i].failed &&
		    (!f->failed || f->round[i].failed->at_ms[PHASE_ENDED] <
					   f->failed->at_ms[PHASE_ENDED]))
			f->failed = f->round[i].failed;
	return 0;
}

int facts_find(const struct record *r, struct facts *ret, struct err *err)
{
	cleanup_free struct timed *t = calloc(r->n + 1, sizeof(*t));

	*ret = (struct facts){.nnodes = 0};
	if (!t)
		return err_memory(err);
	if (find_rounds(r, t, ret, err) < 0)
		return -1;
	ret->stopped = record_last(r, MARK_STOPPED);
	find_arrivals(r, t, ret);
	find_outputs(r, t, ret);
	find_phases(r, t, ret);
	return 0;
}

void facts_clear(struct facts *f)
{
	free(f->round);
	*f = (struct facts){.nnodes = 0};
}
