/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/places.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	return node_order_text(p->node, NULL, p->n);
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

/* Number the domains by the places of their nodes: after so many places, which
 * `list` has before its next ';', the next one begins. */
static int number_domains(const char *text, const struct places *places,
			  unsigned *domain, struct err *err)
{
	unsigned at = 0, number = 0;

	while (*text) {
		size_t len = strcspn(text, ";");
		cleanup_free char *list = strndup(text, len);
		struct places part;

		if (!list)
			return err_memory(err);
		if (places_parse(list, places->n, &part, err) < 0)
			return -1;
		for (unsigned i = 0; i < part.n; i++)
			domain[places->node[at++]] = number;
		places_clear(&part);
		number++;
		text += len + (text[len] != '\0');
	}
	return 0;
}

/* All places, as one list. */
static int read_places(const char *text, unsigned nnodes, struct places *ret,
		       struct err *err)
{
	cleanup_free char *list = strdup(text);

	if (!list)
		return err_memory(err);
	for (char *p = list; (p = strchr(p, ';'));)
		*p = ',';
	return places_parse(list, nnodes, ret, err);
}

int node_order_parse(const char *text, unsigned nnodes, struct places *ret,
		     unsigned **ret_domain, struct err *err)
{
	cleanup_free unsigned *domain = calloc(nnodes + 1UL, sizeof(*domain));
	struct places places;
	char shown[SHOW_SIZE];

	if (!domain)
		return err_memory(err);
	if (read_places(text, nnodes, &places, err) < 0)
		return -1;
	if (places.n != nnodes ||
	    number_domains(text, &places, domain, err) < 0) {
		places_clear(&places);
		return err_printf(err,
				  "the order %s isn't one of all %u nodes of "
				  "the step",
				  show(shown, text), nnodes);
	}
	*ret = places;
	if (ret_domain) {
		*ret_domain = domain;
		domain = NULL;
	}
	return 0;
}

static bool is_same(const unsigned *domain, unsigned a, unsigned b)
{
	return !domain || domain[a] == domain[b];
}

char *node_order_text(const unsigned *node, const unsigned *domain, unsigned n)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (unsigned i = 0, run; f && i < n; i += run) {
		for (run = 1; i + run < n && node[i + run] == node[i] + run &&
			      is_same(domain, node[i], node[i + run]);)
			run++;
		if (i)
			fprintf(f, "%s",
				is_same(domain, node[i - 1], node[i]) ? ","
								      : ";");
		fprintf(f, "%u", node[i]);
		if (run > 1)
			fprintf(f, "-%u", node[i] + run - 1);
	}
	return text_stream_take(&stream);
}
