/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/roster/roster.h"

#include <stdlib.h>
#include <string.h>

/* In an order by blocks the spares are its last nodes, too. */
static int begin_places(const struct roster_options *o, struct roster *r,
			struct err *err)
{
	if (!o->order || o->nspares >= o->nnodes)
		return places_first(o->nnodes, o->nspares, &r->places, err);
	if (node_order_parse(o->order, o->nnodes, &r->places, &r->domain, err) <
	    0)
		return -1;
	r->places.n -= o->nspares;
	return 0;
}

int roster_open(const struct roster_options *o, struct roster *ret,
		struct err *err)
{
	struct roster r = {
		.nnodes = o->nnodes,
		.names = o->names,
		.ladder = *o->ladder,
		.node = calloc(o->nnodes, sizeof(*r.node)),
	};

	if (!r.node)
		return err_memory(err);
	if (begin_places(o, &r, err) < 0) {
		free(r.node);
		return -1;
	}
	*ret = r;
	return 0;
}

void roster_close(struct roster *r)
{
	for (unsigned i = 0; r->node && i < r->nnodes; i++)
		free(r->node[i].why);
	free(r->node);
	free(r->domain);
	places_clear(&r->places);
	*r = (struct roster){0};
}

/* --- what happens to nodes --- */

void roster_come(struct roster *r, unsigned node)
{
	struct roster_node *n = &r->node[node];

	if (n->state == NODE_OUT)
		return;
	n->state = NODE_HERE;
	free(n->why);
	n->why = NULL;
}

void roster_lose(struct roster *r, unsigned node)
{
	r->node[node].lost = true;
	if (r->node[node].state != NODE_OUT)
		r->node[node].state = NODE_AWAY;
}

void roster_condemn(struct roster *r, unsigned node, const char *why)
{
	struct roster_node *n = &r->node[node];

	if (n->state == NODE_OUT)
		return;
	n->state = NODE_OUT;
	n->lost = true;
	free(n->why);
	n->why = strdup(why); /* NULL: "is lost" is nearly as good */
}

unsigned roster_wait_no_more(struct roster *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->nnodes; i++) {
		if (r->node[i].state != NODE_AWAITED)
			continue;
		roster_lose(r, i);
		r->node[i].why = strdup("hasn't come in time");
		n++;
	}
	return n;
}

/* --- what follows from losses --- */

/* For each node whether it has a place, so that a large step costs one look at
 * each. NULL: memory. */
static bool *mark(const struct roster *r)
{
	bool *has = calloc(r->nnodes, sizeof(*has));

	for (unsigned i = 0; has && i < r->places.n; i++)
		has[r->places.node[i]] = true;
	return has;
}

unsigned roster_count_spares(const struct roster *r)
{
	bool *has = mark(r);
	unsigned n = 0;

	for (unsigned i = 0; has && i < r->nnodes; i++)
		n += !has[i] && r->node[i].state == NODE_HERE;
	free(has);
	return n;
}

/* A place whose node can't go on there. Who is back in time can. */
static bool is_vacant(const struct roster *r, unsigned node)
{
	return r->node[node].state == NODE_AWAY ||
	       r->node[node].state == NODE_OUT;
}

bool roster_is_lost(const struct roster *r, unsigned node)
{
	return r->node[node].lost || is_vacant(r, node);
}

static int copy_places(const struct places *from, struct places *ret)
{
	ret->node = malloc(from->n * sizeof(*from->node));
	if (!ret->node)
		return -1;
	memcpy(ret->node, from->node, from->n * sizeof(*from->node));
	ret->n = from->n;
	return 0;
}

/* The first spare that is left, in the block of `near` if that isn't NULL;
 * nnodes if there is none. */
static unsigned find_spare(const struct roster *r, const bool *has,
			   const unsigned *near)
{
	for (unsigned i = 0; i < r->nnodes; i++)
		if (!has[i] && r->node[i].state == NODE_HERE &&
		    (!near || r->domain[i] == r->domain[*near]))
			return i;
	return r->nnodes;
}

/* Each vacant place gets a spare of the lost node's block, where that is known;
 * then each the first one that is left. */
static void replace(const struct roster *r, bool *has, struct places *p)
{
	for (int any = r->domain ? 0 : 1; any < 2; any++)
		for (unsigned i = 0; i < p->n; i++) {
			const unsigned *lost = &r->places.node[i];
			unsigned spare;

			if (p->node[i] != PLACE_NONE)
				continue;
			spare = find_spare(r, has, any ? NULL : lost);
			if (spare == r->nnodes)
				continue;
			p->node[i] = spare;
			has[spare] = true;
		}
}

static unsigned count_taken(const struct places *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		n += p->node[i] != PLACE_NONE;
	return n;
}

/* Vacant places are left out. */
static void shrink(struct places *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		if (p->node[i] != PLACE_NONE)
			p->node[n++] = p->node[i];
	p->n = n;
}

/* Down the ladder, until all places are taken. What a rung could do for some of
 * them stays done. */
static enum roster_answer climb(const struct roster *r, bool *has,
				struct places *p)
{
	for (unsigned i = 0; i < r->ladder.n; i++) {
		unsigned min = r->ladder.rung[i].min;

		switch (r->ladder.rung[i].what) {
		case LADDER_REPLACE:
			replace(r, has, p);
			break;
		case LADDER_SHRINK:
			if (count_taken(p) && count_taken(p) >= min)
				shrink(p);
			break;
		case LADDER_REQUEUE:
			return ROSTER_REQUEUE;
		case LADDER_FAIL:
		case LADDER_MAX:
			return ROSTER_FAIL;
		}
		if (count_taken(p) == p->n)
			return ROSTER_PLACES;
	}
	return ROSTER_FAIL;
}

enum roster_answer roster_decide(const struct roster *r, struct places *ret)
{
	enum roster_answer answer = ROSTER_SAME;
	struct places p;
	bool *has = mark(r);

	if (!has || copy_places(&r->places, &p) < 0) {
		free(has);
		return ROSTER_FAIL;
	}
	for (unsigned i = 0; i < p.n; i++) {
		if (!is_vacant(r, p.node[i]))
			continue;
		p.node[i] = PLACE_NONE;
		answer = ROSTER_FAIL;
	}
	if (answer != ROSTER_SAME)
		answer = climb(r, has, &p);
	free(has);
	if (answer == ROSTER_SAME || answer == ROSTER_PLACES)
		*ret = p;
	else
		places_clear(&p);
	return answer;
}

bool roster_fence(struct roster *r, unsigned node)
{
	struct roster_node *n = &r->node[node];
	enum roster_state state = n->state;
	enum roster_answer answer;
	struct places places = {0};

	if (n->lost)
		return false;
	n->state = NODE_AWAY;
	answer = roster_decide(r, &places);
	places_clear(&places);
	n->state = state;
	n->lost = answer == ROSTER_PLACES;
	return n->lost;
}

void roster_take(struct roster *r, struct places *places)
{
	places_clear(&r->places);
	r->places = *places;
	*places = (struct places){0};
	for (unsigned i = 0; i < r->nnodes; i++)
		r->node[i].lost = false;
}
