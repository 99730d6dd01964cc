/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/taskmap.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/base/text_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

char *node_order_text(const unsigned *node, const unsigned *domain, unsigned n)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (unsigned i = 0, run; f && i < n; i += run) {
		unsigned its = domain[node[i]];

		for (run = 1; i + run < n && node[i + run] == node[i] + run &&
			      domain[node[i + run]] == its;)
			run++;
		if (i)
			fprintf(f, "%s",
				domain[node[i - 1]] == its ? "," : ";");
		fprintf(f, "%u", node[i]);
		if (run > 1)
			fprintf(f, "-%u", node[i] + run - 1);
	}
	return text_stream_take(&stream);
}
