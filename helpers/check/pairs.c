/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/check/pairs.h"

#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>

#define MB	     1e6
#define PAIR_NOTABLE 10 /* of 1,000: worth to be told */

int pairs_open(struct pairs *p, unsigned nnodes)
{
	*p = (struct pairs){.nnodes = nnodes};
	p->node = calloc(nnodes, sizeof(*p->node));
	p->sorted = calloc(nnodes, sizeof(*p->sorted));
	if (p->node && p->sorted)
		return 0;
	pairs_close(p);
	return -1;
}

void pairs_close(struct pairs *p)
{
	free(p->node);
	free(p->sorted);
	*p = (struct pairs){0};
}

/* --- what was measured --- */

static const struct pair_meeting *meeting(const struct pairs *p, unsigned node,
					  unsigned other)
{
	const struct pair_node *n = &p->node[node];

	for (unsigned i = 0; i < n->nmet; i++)
		if (n->met[i].other == other)
			return &n->met[i];
	return NULL;
}

double pairs_rate(const struct pairs *p, unsigned node, unsigned at)
{
	const struct pair_meeting *here = &p->node[node].met[at];
	const struct pair_meeting *there = meeting(p, here->other, node);

	if (!here->told || !there->told)
		return 0;
	return here->figure.rate < there->figure.rate ? here->figure.rate
						      : there->figure.rate;
}

static unsigned pair_again(const struct pairs *p, unsigned node, unsigned at)
{
	const struct pair_meeting *here = &p->node[node].met[at];
	const struct pair_meeting *there = meeting(p, here->other, node);
	unsigned again = here->told ? here->figure.again : 0;

	return there->told && there->figure.again > again ? there->figure.again
							  : again;
}

double pairs_best(const struct pairs *p, unsigned node)
{
	double best = 0;

	for (unsigned i = 0; i < p->node[node].nmet; i++)
		if (pairs_rate(p, node, i) > best)
			best = pairs_rate(p, node, i);
	return best;
}

void pairs_note(struct pairs *p, unsigned node,
		const struct pair_figure *figure)
{
	struct pair_node *n = &p->node[node];
	struct pair_meeting *last = n->nmet ? &n->met[n->nmet - 1] : NULL;

	if (!last || last->told)
		return;
	last->told = true;
	last->figure = *figure;
}

/* --- who with whom --- */

struct place {
	unsigned node;
	double best;
	bool taken;
};

/* The slowest first; equal ones by their number. */
static int by_rate(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->best != y->best)
		return x->best < y->best ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void add_pair(struct pairs *p, unsigned a, unsigned b, struct pair *ret)
{
	struct pair_node *x = &p->node[a], *y = &p->node[b];

	x->met[x->nmet++] = (struct pair_meeting){.other = b};
	y->met[y->nmet++] = (struct pair_meeting){.other = a};
	*ret = (struct pair){a, b};
}

static unsigned pair_neighbours(struct pairs *p, struct pair *ret)
{
	unsigned n = p->nnodes / 2;

	for (unsigned i = 0; i < n; i++)
		add_pair(p, 2 * i, 2 * i + 1, &ret[i]);
	return n;
}

/* The fastest that isn't taken and that `s` hasn't met yet. */
static struct place *find_fast(const struct pairs *p, struct place *place,
			       const struct place *s)
{
	for (unsigned i = p->nnodes; i--;)
		if (&place[i] != s && !place[i].taken &&
		    !meeting(p, s->node, place[i].node))
			return &place[i];
	return NULL;
}

/* The slowest first, each with the fastest; only those that have measured less
 * often than that. */
static unsigned pair_slow_with_fast(struct pairs *p, struct place *place,
				    unsigned times, struct pair *ret)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->nnodes; i++) {
		struct place *s = &place[i], *fast;

		if (s->taken || p->node[s->node].nmet >= times)
			continue;
		fast = find_fast(p, place, s);
		if (!fast)
			continue;
		s->taken = fast->taken = true;
		add_pair(p, s->node, fast->node, &ret[n++]);
	}
	return n;
}

static unsigned pair_stage(struct pairs *p, struct place *place,
			   struct pair *ret)
{
	for (unsigned i = 0; i < p->nnodes; i++)
		place[i] = (struct place){.node = i, .best = pairs_best(p, i)};
	qsort(place, p->nnodes, sizeof(*place), by_rate);
	switch (p->stage) {
	case 1:
		return pair_neighbours(p, ret);
	case 2: /* the odd one */
		return pair_slow_with_fast(p, place, 1, ret);
	case 3:
		return pair_slow_with_fast(p, place, PAIR_STAGES, ret);
	default: /* who is left */
		return pair_slow_with_fast(p, place, 2, ret);
	}
}

unsigned pairs_next(struct pairs *p, struct pair *ret)
{
	struct place *place = calloc(p->nnodes, sizeof(*place));
	unsigned n = 0;

	while (place && !n && p->stage < PAIR_STAGES) {
		p->stage++;
		n = pair_stage(p, place, ret);
	}
	free(place);
	return n;
}

bool pairs_has(const struct pairs *p, unsigned node)
{
	const struct pair_node *n = &p->node[node];

	return n->nmet && !n->met[n->nmet - 1].told;
}

/* --- what it means --- */

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Of 1,000 packets those that had to be sent again: the larger number of both
 * ends, in the node's best measurement; 1,000 where nothing came through. */
static unsigned least_again(const struct pairs *p, unsigned node)
{
	const struct pair_node *n = &p->node[node];
	unsigned least = 1000;

	for (unsigned i = 0; i < n->nmet; i++) {
		unsigned again = pair_again(p, node, i);

		if (again < least && pairs_rate(p, node, i) > 0)
			least = again;
	}
	return least;
}

static double again_of(const struct pairs *p, unsigned node)
{
	return least_again(p, node);
}

/* That of the node in the middle of those that have exchanged anything: nodes
 * without a figure, however many, don't say what is usual. 0: there is none. */
static double middle(const struct pairs *p,
		     double (*of)(const struct pairs *p, unsigned node))
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->nnodes; i++)
		if (pairs_best(p, i) > 0)
			p->sorted[n++] = of(p, i);
	qsort(p->sorted, n, sizeof(*p->sorted), by_number);
	return n ? p->sorted[n / 2] : 0;
}

double pairs_usual(const struct pairs *p)
{
	return middle(p, pairs_best);
}

/* That of the node in the middle. */
static unsigned usual_again(const struct pairs *p)
{
	return (unsigned)middle(p, again_of);
}

static void say_rates(const struct pairs *p, unsigned node,
		      const char *const name[], char *text, size_t size)
{
	const struct pair_node *n = &p->node[node];

	*text = '\0';
	for (unsigned i = 0; i < n->nmet; i++)
		text_add(text, size, " and ", "%.1f MB/s with %s",
			 pairs_rate(p, node, i) / MB, name[n->met[i].other]);
	if (pairs_best(p, node) > 0 && least_again(p, node) >= PAIR_NOTABLE)
		text_add(text, size, ", ",
			 "%.0f %% of the packets had to be sent again",
			 least_again(p, node) / 10.0);
}

static enum pair_verdict judge_two(const struct pairs *p,
				   const char *const name[], char *text,
				   size_t size)
{
	if (pairs_best(p, 0) > 0)
		return PAIR_WELL;
	snprintf(text, size,
		 "%s and %s can't exchange data; with two nodes one can't see "
		 "whose fault it is",
		 name[0], name[1]);
	return PAIR_BROKEN;
}

/* A node that has exchanged nothing, whatever the others have. */
static enum pair_verdict judge_broken(const struct pairs *p, unsigned node,
				      const char *const name[], char *text,
				      size_t size)
{
	char rates[256];

	say_rates(p, node, name, rates, sizeof(rates));
	if (pairs_usual(p) <= 0)
		snprintf(text, size, PAIRS_NONE);
	else
		snprintf(text, size,
			 "its network lets no data through: %s; %.1f MB/s are "
			 "usual among the other nodes",
			 *rates ? rates : "it measured with no node",
			 pairs_usual(p) / MB);
	return PAIR_BROKEN;
}

static bool is_lossy(const struct pairs *p, unsigned node)
{
	unsigned least = least_again(p, node);

	return least >= PAIR_AGAIN && least >= 4 * usual_again(p);
}

enum pair_verdict pairs_judge(const struct pairs *p, unsigned node,
			      const char *const name[], char *ret_text,
			      size_t size)
{
	double usual = pairs_usual(p), best = pairs_best(p, node);
	enum pair_verdict verdict = PAIR_WELL;
	char rates[256];

	if (p->nnodes == 2)
		return judge_two(p, name, ret_text, size);
	if (best <= 0)
		return judge_broken(p, node, name, ret_text, size);
	if (p->node[node].nmet < 2)
		return PAIR_WELL;
	if (best < usual / PAIR_LESS_THAN)
		verdict = PAIR_SLOW;
	else if (is_lossy(p, node))
		verdict = PAIR_LOSSY;
	else if (best < usual / 2)
		verdict = PAIR_REMARK;
	if (verdict == PAIR_WELL)
		return verdict;
	say_rates(p, node, name, rates, sizeof(rates));
	snprintf(ret_text, size,
		 "its network %s: %s; %.1f MB/s and %.1f %% are usual among "
		 "these nodes%s",
		 verdict == PAIR_LOSSY ? "loses packets" : "is slow", rates,
		 usual / MB, usual_again(p) / 10.0,
		 verdict == PAIR_SLOW ? ", and the limit is a quarter of that"
		 : verdict == PAIR_LOSSY ? ", and the limit is 5 %"
					 : "");
	return verdict;
}
