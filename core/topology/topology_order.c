/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level by level, from the outermost: the nodes of a segment are split by the
 * unit that they are in, these parts are put into an order, and each part is a
 * segment of the next level.
 */
#include "core/topology/topology_order.h"

#include "core/base/cleanup.h"

#include <stdlib.h>
#include <string.h>

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
		err_memory(err);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++)
		node[i] = wish->slurm ? wish->slurm[i] : i;
	choose_sizes(wish, n, &o.sizes);
	if (order_levels(&o) == 0)
		return node;
	free(node);
	return NULL;
}
