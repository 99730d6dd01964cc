/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/judge/findings.h"

#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One string for all checks of a name: findings compare it by address. */
static const char *check_name(const struct doctor_check *table,
			      const struct doctor_check *c)
{
	while (c > table && !strcmp(c[-1].name, c->name))
		c--;
	return c->name;
}

/* "process $1 ($2) holds $3": the words of the fact's text. */
static void say(const struct told *t, const struct doctor_check *c)
{
	const char *last = strrchr(c->finding, '$'), *at = c->finding;
	const char *word = t->text;
	char said[DOCTOR_TEXT_SIZE] = "";

	for (; *at; at += strcspn(at, "$")) {
		size_t n = 0;

		if (*at == '$') {
			n = at == last ? strlen(word) : strcspn(word, " ");
			text_add(said, sizeof(said), "", "%.*s", (int)n, word);
			word += n + (word[n] == ' ');
			at += strlen("$1");
		}
		text_add(said, sizeof(said), "", "%.*s", (int)strcspn(at, "$"),
			 at);
	}
	FOUND(t, c->level, c->remedy, "%s", said);
}

static void run_check(struct doctor *d, const char *name,
		      const struct doctor_check *c)
{
	for (size_t i = 0; i < d->nfacts; i++) {
		const struct doctor_fact *f = &d->fact[i];
		const struct told told = {d, name, f->node, f->text};

		if (strcmp(f->key, c->key) != 0)
			continue;
		if (c->judge)
			c->judge(&told);
		else if (c->finding &&
			 (!c->unless ||
			  strncmp(f->text, c->unless, strlen(c->unless)) != 0))
			say(&told, c);
	}
}

/* The largest difference of a clock, as far as it is known. */
static long long clock_spread_us(const struct doctor *d)
{
	long long offset, bound, worst = 0;

	for (unsigned i = 0; i < d->nnodes; i++) {
		const char *text = doctor_fact(d, i, "clock");

		if (text && sscanf(text, "%lld %lld", &offset, &bound) == 2 &&
		    llabs(offset) + bound > worst)
			worst = llabs(offset) + bound;
	}
	return worst;
}

static void say_well(struct doctor *d, const char *name,
		     const struct doctor_check *c)
{
	char spread[64] = "";

	if (!c->well)
		return;
	for (size_t i = 0; i < d->nfindings; i++)
		if (d->finding[i].check == name)
			return;
	if (!strcmp(name, "clock"))
		snprintf(spread, sizeof(spread), ": within %.1f ms",
			 (double)clock_spread_us(d) / 1000);
	for (unsigned i = 0; i < d->nnodes; i++)
		if (doctor_fact(d, i, c->key))
			doctor_find(d, DOCTOR_OK, name, i, "", "%s%s", c->well,
				    spread);
}

static void run_table(struct doctor *d, const struct doctor_check *table)
{
	for (const struct doctor_check *c = table; c->name; c++) {
		run_check(d, check_name(table, c), c);
		say_well(d, check_name(table, c), c);
	}
}

static void judge_answers(struct doctor *d)
{
	unsigned nrefused = doctor_count(d, "refused");

	for (unsigned i = 0; i < d->nnodes; i++)
		if (doctor_fact(d, i, "refused"))
			doctor_find(d, DOCTOR_FAIL, "answer", i,
				    "see slurmd's log there: its munged needs "
				    "the cluster's key and time (munge -n | "
				    "ssh NODE unmunge)",
				    "its slurmd hasn't taken the step: %s",
				    doctor_fact(d, i, "refused"));
		else if (nrefused && !doctor_fact(d, i, "done"))
			continue; /* srun has ended the step because of it */
		else if (!doctor_fact(d, i, "ready") &&
			 doctor_fact(d, i, "gone"))
			doctor_find(d, DOCTOR_FAIL, "answer", i,
				    "see what srun has said: dist-train has to "
				    "be on the node, at the same path",
				    "its process has ended: %s",
				    doctor_fact(d, i, "gone"));
		else if (!doctor_fact(d, i, "ready"))
			doctor_find(d, DOCTOR_FAIL, "answer", i,
				    "look at the node (sinfo -N, slurmd's "
				    "log); --timeout=SECONDS waits longer",
				    "no answer");
		else if (!doctor_fact(d, i, "done"))
			doctor_find(d, DOCTOR_WARN, "answer", i,
				    "--timeout=SECONDS waits longer",
				    "not all checks ended in time");
	if (!d->nfindings)
		for (unsigned i = 0; i < d->nnodes; i++)
			doctor_find(d, DOCTOR_OK, "answer", i, "", "%s",
				    "every node answers");
}

static int by_node(const void *a, const void *b)
{
	const struct doctor_fact *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

int doctor_judge(struct doctor *d, struct err *err)
{
	judge_answers(d);
	return doctor_judge_facts(d, err);
}

int doctor_judge_facts(struct doctor *d, struct err *err)
{
	if (d->nfacts)
		qsort(d->fact, d->nfacts, sizeof(*d->fact), by_node);
	run_table(d, doctor_net_checks);
	run_table(d, doctor_gpu_checks);
	run_table(d, doctor_rdma_checks);
	run_table(d, doctor_node_checks);
	run_table(d, doctor_start_checks);
	return d->no_memory ? err_memory(err) : 0;
}
