/* SPDX-License-Identifier: Apache-2.0 */
/* On the host: pairs of nodes measure their network, as check=full lets them do
 * it before a start. */
#include "core/base/cleanup.h"
#include "helpers/check/pair_talk.h"
#include "helpers/cli/doctor/all_reduce.h"
#include "helpers/cli/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define ANSWER_MS (PAIR_MS + 4000) /* with a poor network, too */

/* 64 digits, in hexadecimal; false: the kernel gives none. */
static bool make_word(char ret[PAIR_WORD_SIZE + 1])
{
	unsigned char byte[PAIR_WORD_SIZE / 2];

	if (getrandom(byte, sizeof(byte), 0) != sizeof(byte))
		return false;
	for (size_t i = 0; i < sizeof(byte); i++)
		snprintf(ret + 2 * i, 3, "%02x", byte[i]);
	return true;
}

/* The first node's is that which the others have found. */
static bool find_door(const struct doctor *d, unsigned node, char addr[64],
		      unsigned *port)
{
	const char *door = doctor_fact(d, node, "door"), *found = NULL;

	if (!door || sscanf(door, "%63s %u", addr, port) != 2)
		return false;
	for (unsigned i = 1; i < d->nnodes && !found; i++)
		found = doctor_fact(d, i, "first");
	return strcmp(addr, "-") != 0 ||
	       (found && sscanf(found, "%*s %63s", addr) == 1);
}

static void say_meet(struct talk *t, const struct doctor *d, unsigned round,
		     const struct pair *p)
{
	char addr[64], word[PAIR_WORD_SIZE + 1];
	unsigned port;

	if (find_door(d, p->a, addr, &port) && make_word(word))
		talk_say(t, "meet %u %s %s %s %u %s\n", round, d->node[p->a],
			 d->node[p->b], addr, port, word);
}

/* What the nodes have told since then. */
static void note_figures(const struct doctor *d, size_t since, unsigned round,
			 struct pairs *p)
{
	struct pair_figure figure;
	unsigned of;

	for (size_t i = since; i < d->nfacts; i++)
		if (!strcmp(d->fact[i].key, "met") &&
		    sscanf(d->fact[i].text, "%u %lf %u", &of, &figure.rate,
			   &figure.again) == 3 &&
		    of == round)
			pairs_note(p, d->fact[i].node, &figure);
}

/* Of a pair when its second node has come, so that each is told once. */
static void tell_pairs(struct doctor *d, const struct pairs *p, unsigned node)
{
	const struct pair_node *n = &p->node[node];
	char fact[DOCTOR_TEXT_SIZE];

	for (unsigned i = 0; i < n->nmet; i++) {
		if (n->met[i].other > node)
			continue;
		snprintf(fact, sizeof(fact), "pair %u %u %.0f", i + 1,
			 n->met[i].other, pairs_rate(p, node, i));
		doctor_add_fact(d, node, fact);
	}
}

static void tell_verdict(struct doctor *d, const struct pairs *p, unsigned node)
{
	static const enum doctor_level level[] = {
		[PAIR_WELL] = DOCTOR_OK,     [PAIR_REMARK] = DOCTOR_WARN,
		[PAIR_SLOW] = DOCTOR_FAIL,   [PAIR_LOSSY] = DOCTOR_FAIL,
		[PAIR_BROKEN] = DOCTOR_FAIL,
	};
	char text[DOCTOR_TEXT_SIZE] = "-", fact[sizeof(text) + 32];
	enum pair_verdict v = pairs_judge(p, node, (const char **)d->node, text,
					  sizeof(text));

	snprintf(fact, sizeof(fact), "pair-verdict %d %s", level[v], text);
	doctor_add_fact(d, node, fact);
}

/* All nodes are asked, or none: silence would read as well. */
static void tell_not_measured(struct doctor *d, unsigned nready)
{
	char fact[DOCTOR_TEXT_SIZE];

	snprintf(fact, sizeof(fact),
		 "pair-verdict %d not measured: %u of the %u nodes can take "
		 "part; --nodes leaves others out",
		 DOCTOR_FAIL, nready, d->nnodes);
	for (unsigned i = 0; i < d->nnodes; i++)
		doctor_add_fact(d, i, fact);
}

static void measure(struct talk *t, struct doctor *d, struct pairs *p,
		    struct pair *pair)
{
	unsigned n;

	while ((n = pairs_next(p, pair))) {
		size_t since = d->nfacts;

		talk_want(t, "met");
		for (unsigned i = 0; i < n; i++)
			say_meet(t, d, p->stage, &pair[i]);
		talk_wait(t, 2 * n, ANSWER_MS);
		note_figures(d, since, p->stage, p);
	}
	for (unsigned i = 0; i < d->nnodes; i++) {
		tell_pairs(d, p, i);
		tell_verdict(d, p, i);
	}
}

void doctor_ask_pairs(struct talk *t, struct doctor *d)
{
	cleanup_free struct pair *pair =
		calloc(d->nnodes / 2 + 1, sizeof(*pair));
	struct pairs p;
	unsigned nready;

	if (d->nnodes < 2)
		return;
	talk_want(t, "door");
	talk_say(t, "pairs\n");
	talk_wait(t, d->nnodes, DOCTOR_CALL_MS);
	nready = doctor_count(d, "door");
	if (!pair || nready < d->nnodes || pairs_open(&p, d->nnodes) < 0) {
		tell_not_measured(d, nready);
		return;
	}
	measure(t, d, &p, pair);
	pairs_close(&p);
}

int all_reduce_from_pairs(const struct doctor *d, struct all_reduce *ret,
			  struct err *err)
{
	*ret = (struct all_reduce){
		.pair = calloc(d->nfacts + 1, sizeof(*ret->pair))};
	if (!ret->pair)
		return err_memory(err);
	for (size_t i = 0; i < d->nfacts; i++) {
		struct all_reduce_pair *p = &ret->pair[ret->npairs];
		unsigned round;

		if (strcmp(d->fact[i].key, "pair") != 0 ||
		    sscanf(d->fact[i].text, "%u %u %lf", &round, &p->node[0],
			   &p->rate) != 3)
			continue;
		p->node[1] = d->fact[i].node;
		ret->npairs++;
		if (round > ret->nrounds)
			ret->nrounds = round;
	}
	return 0;
}
