/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/places.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/base/text_stream.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int places_first(unsigned nnodes, unsigned nspares, struct places *ret,
		 struct err *err)
{
	struct places p;

	if (nspares >= nnodes)
		return err_printf(err, "%u spares of %u nodes leave no node",
				  nspares, nnodes);
	p.n = nnodes - nspares;
	p.node = calloc(p.n, sizeof(*p.node));
	if (!p.node)
		return err_memory(err);
	for (unsigned i = 0; i < p.n; i++)
		p.node[i] = i;
	*ret = p;
	return 0;
}

/* Add the nodes of `text`; `p` and `seen` have room for all of the step's. */
static int add_nodes(const char *text, unsigned nnodes, bool *seen,
		     struct places *p, struct err *err)
{
	const char *at = text;
	char shown[SHOW_SIZE];
	unsigned first, last;

	while (*at) {
		if (parse_range(&at, nnodes - 1, &first, &last) < 0)
			return err_printf(err,
					  "the places %s aren't a list of node "
					  "numbers below %u",
					  show(shown, text), nnodes);
		for (unsigned node = first; node <= last; node++) {
			if (seen[node])
				return err_printf(err,
						  "the places %s have node %u "
						  "twice",
						  show(shown, text), node);
			seen[node] = true;
			p->node[p->n++] = node;
		}
	}
	return p->n ? 0 : err_printf(err, "the list of places is empty");
}

int places_parse(const char *text, unsigned nnodes, struct places *ret,
		 struct err *err)
{
	cleanup_free bool *seen = calloc(nnodes + 1UL, sizeof(*seen));
	struct places p = {.node = calloc(nnodes + 1UL, sizeof(*p.node))};

	if (!seen || !p.node) {
		places_clear(&p);
		return err_memory(err);
	}
	if (!nnodes || add_nodes(text, nnodes, seen, &p, err) < 0) {
		places_clear(&p);
		return nnodes ? -1 : err_printf(err, "a step without nodes");
	}
	*ret = p;
	return 0;
}

char *places_text(const struct places *p)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (unsigned i = 0, run; f && i < p->n; i += run) {
		for (run = 1;
		     i + run < p->n && p->node[i + run] == p->node[i] + run;)
			run++;
		fprintf(f, "%s%u", i ? "," : "", p->node[i]);
		if (run > 1)
			fprintf(f, "-%u", p->node[i] + run - 1);
	}
	return text_stream_take(&stream);
}

unsigned places_of(const struct places *p, unsigned node)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->node[i] == node)
			return i;
	return PLACE_NONE;
}

void places_clear(struct places *places)
{
	free(places->node);
	*places = (struct places){0};
}
