/* SPDX-License-Identifier: Apache-2.0 */
#include "core/topology/part_order.h"

#include "core/base/cleanup.h"

#include <stdlib.h>
#include <string.h>

/* Parts of one size are alike: only their number counts. */
struct class
{
	unsigned nnodes; /* of each part */
	unsigned left;	 /* parts without a place */
	unsigned next;	 /* the first of these */
};

struct search {
	const struct group_sizes *sizes;
	const unsigned *nnodes; /* by part */
	unsigned nparts;
	unsigned end; /* the place after the last part */
	struct class *class;
	unsigned nclasses;
	unsigned *order, *best; /* classes, then parts */
	unsigned long cost;	/* of the best */
	unsigned steps;
};

/* How many groups cross at `at`, where a part is to end, that don't cross at
 * `before`, where it begins, nor at the end of all. */
static unsigned cost_of(const struct search *s, unsigned before, unsigned at)
{
	const struct group_sizes *z = s->sizes;
	unsigned n = 0;

	for (unsigned i = 0; at < z->nworld && at < s->end && i < z->n; i++) {
		unsigned size = z->size[i], group = at / size;

		if (at % size == 0 || (before % size && before / size == group))
			continue;
		n += s->end >= z->nworld || s->end % size == 0 ||
		     s->end / size != group;
	}
	return n;
}

/* --- the first order: what fits best comes next --- */

static struct class *class_that_fits(const struct search *s, unsigned before,
				     unsigned *ret_cost)
{
	struct class *best = NULL;
	unsigned least = 0;

	for (unsigned i = 0; i < s->nclasses; i++) {
		struct class *c = &s->class[i];
		unsigned cost;

		if (!c->left)
			continue;
		cost = cost_of(s, before, before + c->nnodes);
		if (best &&
		    (cost > least || (cost == least && c->next > best->next)))
			continue;
		best = c;
		least = cost;
	}
	*ret_cost = least;
	return best;
}

/* The next part of the class after its `next`. */
static void step_over(const struct search *s, struct class *c)
{
	c->left--;
	do
		c->next++;
	while (c->left && s->nnodes[c->next] != c->nnodes);
}

static void order_quickly(struct search *s, unsigned first, bool stays)
{
	unsigned at = first;

	for (unsigned i = 0; i < s->nparts; i++) {
		unsigned cost;
		struct class *c = &s->class[0];

		if (i == 0 && stays)
			cost = cost_of(s, at, at + c->nnodes);
		else
			c = class_that_fits(s, at, &cost);
		s->cost += cost;
		s->best[i] = (unsigned)(c - s->class);
		step_over(s, c);
		at += c->nnodes;
	}
}

/* --- all orders --- */

static void search_rest(struct search *s, unsigned nplaced, unsigned at,
			unsigned long cost)
{
	if (cost >= s->cost || s->steps >= STEPS_MAX)
		return;
	if (nplaced == s->nparts) {
		memcpy(s->best, s->order, s->nparts * sizeof(*s->best));
		s->cost = cost;
		return;
	}
	for (unsigned i = 0; i < s->nclasses; i++) {
		struct class *c = &s->class[i];

		if (!c->left)
			continue;
		s->steps++;
		c->left--;
		s->order[nplaced] = i;
		search_rest(s, nplaced + 1, at + c->nnodes,
			    cost + cost_of(s, at, at + c->nnodes));
		c->left++;
	}
}

/* --- classes --- */

static void count_classes(struct search *s)
{
	unsigned i;

	s->nclasses = 0;
	for (unsigned p = 0; p < s->nparts; p++) {
		for (i = 0; i < s->nclasses; i++)
			if (s->class[i].nnodes == s->nnodes[p])
				break;
		if (i == s->nclasses)
			s->class[s->nclasses++] = (struct class){
				.nnodes = s->nnodes[p], .next = p};
		s->class[i].left++;
	}
}

/* From classes to their parts, in turn. */
static void put_parts(struct search *s, unsigned *ret)
{
	count_classes(s);
	for (unsigned i = 0; i < s->nparts; i++) {
		struct class *c = &s->class[s->best[i]];

		ret[i] = c->next;
		step_over(s, c);
	}
}

static void order_fully(struct search *s, unsigned first, bool stays)
{
	unsigned skip = stays ? 1 : 0, at = first;

	count_classes(s);
	if (stays) {
		s->order[0] = 0;
		s->class[0].left--;
		at += s->nnodes[0];
	}
	search_rest(s, skip, at, stays ? cost_of(s, first, at) : 0);
}

int part_order(const struct group_sizes *sizes, unsigned first,
	       const unsigned *nnodes, unsigned nparts, bool stays,
	       unsigned *ret_order, struct err *err)
{
	cleanup_free struct class *class = calloc(nparts + 1UL, sizeof(*class));
	cleanup_free unsigned *work = calloc(2UL * nparts + 1, sizeof(*work));
	struct search s = {.sizes = sizes,
			   .nnodes = nnodes,
			   .nparts = nparts,
			   .end = first,
			   .class = class,
			   .order = work,
			   .best = work + nparts};

	if (!class || !work)
		return err_memory(err);
	for (unsigned i = 0; i < nparts; i++)
		s.end += nnodes[i];
	count_classes(&s);
	if (s.nclasses > 1) {
		order_quickly(&s, first, stays);
		if (s.cost && nparts <= PARTS_SEARCHED)
			order_fully(&s, first, stays);
	}
	put_parts(&s, ret_order);
	return 0;
}
