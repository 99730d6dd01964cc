/* SPDX-License-Identifier: Apache-2.0 */
/* What the roster says to the user. */
#include "helpers/roster/roster.h"

#include "core/base/hostlist.h"

#include <stdio.h>

const char *roster_name(const struct roster *r, unsigned node,
			char buf[ROSTER_NAME_SIZE])
{
	char name[HOSTLIST_NAME_MAX];

	if (r->names && hostlist_nth(r->names, node, name) == 0)
		snprintf(buf, ROSTER_NAME_SIZE, "%s", name);
	else
		snprintf(buf, ROSTER_NAME_SIZE, "node number %u", node);
	return buf;
}

/* Spares that the new places leave. */
static unsigned count_left(const struct roster *r, const struct places *places)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->nnodes; i++)
		n += r->node[i].state == NODE_HERE;
	for (unsigned i = 0; i < places->n; i++)
		n -= r->node[places->node[i]].state == NODE_HERE;
	return n;
}

struct line {
	char text[ROSTER_LINE_SIZE];
	char name[ROSTER_NAME_SIZE], other[ROSTER_NAME_SIZE];
	const char *why;
};

static void line_no_answer(const struct roster *r, enum roster_answer answer,
			   struct line *l)
{
	char ladder[LADDER_SIZE];

	snprintf(l->text, sizeof(l->text),
		 "dist-train: %s %.400s, and nothing can take its place: %s "
		 "(on-node-loss=%s)\n",
		 l->name, l->why,
		 answer == ROSTER_REQUEUE ? "the step ends, and its job is "
					    "requeued"
					  : "the step fails",
		 ladder_text(&r->ladder, ladder));
}

/* The place keeps its number, unless the world has become smaller. */
static void line_places(const struct roster *r, const struct places *places,
			unsigned place, unsigned round, struct line *l)
{
	unsigned left = count_left(r, places);

	if (places->n < r->places.n)
		snprintf(l->text, sizeof(l->text),
			 "dist-train: %s %.400s: the world shrinks from %u "
			 "nodes to %u; round %u\n",
			 l->name, l->why, r->places.n, places->n, round);
	else
		snprintf(l->text, sizeof(l->text),
			 "dist-train: %s %.400s: %s, a spare, takes its place "
			 "as node rank %u; round %u, %u spare%s left\n",
			 l->name, l->why,
			 roster_name(r, places->node[place], l->other), place,
			 round, left, left == 1 ? " is" : "s are");
}

static void line_back(unsigned place, unsigned round, struct line *l)
{
	snprintf(l->text, sizeof(l->text),
		 "dist-train: %s was lost, and is back: it stays node rank %u; "
		 "round %u\n",
		 l->name, place, round);
}

void roster_say(const struct roster *r, enum roster_answer answer,
		const struct places *places, unsigned round,
		void (*say)(void *arg, const char *line), void *arg)
{
	for (unsigned i = 0; i < r->places.n; i++) {
		unsigned node = r->places.node[i];
		const struct roster_node *n = &r->node[node];
		struct line l = {.why = n->why ? n->why : "is lost"};

		if (!n->lost && n->state != NODE_AWAY && n->state != NODE_OUT)
			continue;
		roster_name(r, node, l.name);
		if (!places)
			line_no_answer(r, answer, &l);
		else if (n->state == NODE_HERE)
			line_back(i, round, &l);
		else
			line_places(r, places, i, round, &l);
		say(arg, l.text);
	}
}
