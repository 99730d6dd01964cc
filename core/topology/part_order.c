/* SPDX-License-Identifier: Apache-2.0 */
#include "core/topology/topology_order.h"

#include "core/base/cleanup.h"

#include <limits.h>
#include <stdlib.h>

/* Parts of one size are alike: only their number counts. */
struct class
{
	unsigned nnodes; /* of each part */
	unsigned left;	 /* parts without a place */
	unsigned next;	 /* the first of these */
	size_t stride;	 /* by how much one of them changes the state */
};

/* A state is how many parts of each class have a place. What the rest costs
 * depends on nothing else: where a part begins is a border anyway. */
struct search {
	const struct group_sizes *sizes;
	const unsigned *nnodes; /* by part */
	unsigned nparts;
	unsigned end; /* the place after the last part */
	struct class *class;
	unsigned nclasses;
	size_t nstates, state;
	unsigned *least; /* by state: the least cost of the rest; NULL: there
			    are too many */
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

/* --- classes and states --- */

/* They have room for one of each part. */
static void count_classes(struct search *s)
{
	unsigned i;

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

/* Whether they are few enough. */
static bool count_states(struct search *s)
{
	s->nstates = 1;
	for (unsigned i = 0; i < s->nclasses; i++) {
		s->class[i].stride = s->nstates;
		s->nstates *= s->class[i].left + 1UL;
		if (s->nstates * s->nclasses > STEPS_MAX)
			return false;
	}
	return true;
}

static unsigned used_in(const struct class *c, size_t state)
{
	return (unsigned)(state / c->stride % (c->left + 1UL));
}

/* The least cost of all parts that have no place in this state. */
static unsigned least_of(const struct search *s, unsigned first, size_t state)
{
	unsigned at = first, least = UINT_MAX;

	for (unsigned i = 0; i < s->nclasses; i++)
		at += used_in(&s->class[i], state) * s->class[i].nnodes;
	for (unsigned i = 0; i < s->nclasses; i++) {
		const struct class *c = &s->class[i];
		unsigned cost;

		if (used_in(c, state) == c->left)
			continue;
		cost = cost_of(s, at, at + c->nnodes) +
		       s->least[state + c->stride];
		if (cost < least)
			least = cost;
	}
	return least == UINT_MAX ? 0 : least;
}

/* --- the order --- */

static struct class *class_that_fits(const struct search *s, unsigned at)
{
	struct class *best = NULL;
	unsigned least = 0;

	for (unsigned i = 0; i < s->nclasses; i++) {
		struct class *c = &s->class[i];
		unsigned cost;

		if (!c->left)
			continue;
		cost = cost_of(s, at, at + c->nnodes);
		if (s->least)
			cost += s->least[s->state + c->stride];
		if (best &&
		    (cost > least || (cost == least && c->next > best->next)))
			continue;
		best = c;
		least = cost;
	}
	return best;
}

/* Its next part has a place now. */
static void step_over(struct search *s, struct class *c)
{
	s->state += c->stride;
	c->left--;
	do
		c->next++;
	while (c->left && s->nnodes[c->next] != c->nnodes);
}

static void put_parts(struct search *s, unsigned first, bool stays,
		      unsigned *ret)
{
	unsigned at = first;

	for (unsigned i = 0; i < s->nparts; i++) {
		struct class *c =
			i == 0 && stays ? &s->class[0] : class_that_fits(s, at);

		ret[i] = c->next;
		at += c->nnodes;
		step_over(s, c);
	}
}

int part_order(const struct group_sizes *sizes, unsigned first,
	       const unsigned *nnodes, unsigned nparts, bool stays,
	       unsigned *ret_order, struct err *err)
{
	cleanup_free struct class *class = calloc(nparts + 1UL, sizeof(*class));
	cleanup_free unsigned *least = NULL;
	struct search s = {.sizes = sizes,
			   .nnodes = nnodes,
			   .nparts = nparts,
			   .end = first,
			   .class = class};

	if (!class)
		return err_memory(err);
	for (unsigned i = 0; i < nparts; i++)
		s.end += nnodes[i];
	count_classes(&s);
	if (s.nclasses > 1 && count_states(&s)) {
		s.least = least = calloc(s.nstates, sizeof(*least));
		if (!least)
			return err_memory(err);
		for (size_t state = s.nstates; state-- > 0;)
			least[state] = least_of(&s, first, state);
	}
	put_parts(&s, first, stays, ret_order);
	return 0;
}
