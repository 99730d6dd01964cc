/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level by level, from the outermost: the nodes of a segment are split by the
 * unit that they are in, these parts are put into an order, and each part is a
 * segment of the next level.
 */
#include "core/topology/topology.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- the order of parts --- */

/* Parts of the world, such as blocks, in an order in which few groups of
 * neighbours cross from one part into the next. */

#define GROUP_SIZES_MAX 32

/* Groups of so many neighbours, from place 0 on, in a world of `nworld` nodes.
 */
struct group_sizes {
	unsigned size[GROUP_SIZES_MAX];
	unsigned n;
	unsigned nworld;
};

#define STEPS_MAX 200000

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

/* Put `nparts` parts, which have nnodes[i] nodes each, at the places from
 * `first` on. `stays`: part 0 is to come first. Their order is put into
 * ret_order. It is one of the best, unless so many different parts would take
 * more than STEPS_MAX steps: then the one that fits best is put next. 64 nodes
 * take less, in whatever parts they are. Parts keep their order where it
 * doesn't matter. Fails when out of memory. */
static int part_order(const struct group_sizes *sizes, unsigned first,
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

/* --- all levels --- */

struct ordering {
	const struct topology *t;
	struct group_sizes sizes;
	unsigned *node;	   /* by place: the result as far as it goes */
	unsigned *scratch; /* as many */
	unsigned *part_of; /* by unit, the last one for none; all 0 between two
			      segments, else the part and 1 */
	unsigned *nnodes;  /* by part */
	unsigned *order;   /* of parts */
	struct err *err;
};

/* --- one segment on one level --- */

static unsigned unit_of(const struct ordering *o, unsigned node, unsigned level)
{
	unsigned unit = o->t->path[(size_t)node * o->t->depth + level];

	return unit < o->t->nunits ? unit : o->t->nunits;
}

/* Number the parts in the order in which they come; how many. */
static unsigned number_parts(struct ordering *o, unsigned first, unsigned n,
			     unsigned level)
{
	unsigned nparts = 0;

	for (unsigned i = first; i < first + n; i++) {
		unsigned *part = &o->part_of[unit_of(o, o->node[i], level)];

		if (!*part) {
			*part = ++nparts;
			o->nnodes[nparts - 1] = 0;
		}
		o->nnodes[*part - 1]++;
	}
	return nparts;
}

/* Move the nodes of a segment to where their parts are to be; in a part they
 * keep their order. */
static void move_parts(struct ordering *o, unsigned first, unsigned n,
		       unsigned level, unsigned nparts)
{
	unsigned at = first;

	memcpy(o->scratch + first, o->node + first, n * sizeof(*o->node));
	for (unsigned i = 0; i < nparts; i++) {
		unsigned part = o->order[i], size = o->nnodes[part];

		o->nnodes[part] = at; /* where its next node goes */
		at += size;
	}
	for (unsigned i = first; i < first + n; i++) {
		unsigned unit = unit_of(o, o->scratch[i], level);

		o->node[o->nnodes[o->part_of[unit] - 1]++] = o->scratch[i];
	}
	for (unsigned i = first; i < first + n; i++)
		o->part_of[unit_of(o, o->node[i], level)] = 0;
}

static int order_segment(struct ordering *o, unsigned first, unsigned n,
			 unsigned level)
{
	unsigned nparts = number_parts(o, first, n, level);

	/* Slurm's first node is in part 0. */
	if (part_order(&o->sizes, first, o->nnodes, nparts, first == 0,
		       o->order, o->err) < 0)
		return -1;
	move_parts(o, first, n, level, nparts);
	return 0;
}

/* --- all segments --- */

/* The nodes from `first` on that are in the same units on all levels before
 * this one. */
static unsigned segment_length(const struct ordering *o, unsigned first,
			       unsigned level)
{
	const struct topology *t = o->t;
	const unsigned *path = t->path + (size_t)o->node[first] * t->depth;
	unsigned n = 1;

	while (first + n < t->nnodes &&
	       !memcmp(path, t->path + (size_t)o->node[first + n] * t->depth,
		       level * sizeof(*path)))
		n++;
	return n;
}

static int order_levels(struct ordering *o)
{
	for (unsigned level = 0; level < o->t->depth; level++)
		for (unsigned first = 0, n; first < o->t->nnodes; first += n) {
			n = segment_length(o, first, level);
			if (n > 1 && order_segment(o, first, n, level) < 0)
				return -1;
		}
	return 0;
}

static void choose_sizes(const struct topology_wish *wish, unsigned nnodes,
			 struct group_sizes *ret)
{
	unsigned n = wish->nworld ? wish->nworld : nnodes;

	ret->nworld = n;
	ret->n = 0;
	for (unsigned i = 0; i < wish->ngroups && ret->n < GROUP_SIZES_MAX; i++)
		if (wish->group[i] > 1)
			ret->size[ret->n++] = wish->group[i];
	for (unsigned size = 2; !wish->ngroups && size <= n / 2; size++)
		if (n % size == 0 && ret->n < GROUP_SIZES_MAX)
			ret->size[ret->n++] = size;
}

unsigned *topology_order(const struct topology *t,
			 const struct topology_wish *wish, struct err *err)
{
	unsigned n = t->nnodes;
	unsigned *node = calloc(n + 1UL, sizeof(*node));
	cleanup_free unsigned *work = calloc(3UL * n + 1, sizeof(*work));
	cleanup_free unsigned *part_of =
		calloc(t->nunits + 1UL, sizeof(*part_of));
	struct ordering o = {.t = t,
			     .node = node,
			     .scratch = work,
			     .nnodes = work + n,
			     .order = work + 2UL * n,
			     .part_of = part_of,
			     .err = err};

	if (!node || !work || !part_of) {
		free(node);
		return err_memory_null(err);
	}
	for (unsigned i = 0; i < n; i++)
		node[i] = wish->slurm ? wish->slurm[i] : i;
	choose_sizes(wish, n, &o.sizes);
	if (order_levels(&o) == 0)
		return node;
	free(node);
	return NULL;
}
