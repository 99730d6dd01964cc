/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/progress/progress.h"

#include "core/base/hostlist.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 16

struct search {
	const char **name; /* of the nodes that are here, in order */
	size_t nhere;
	FILE *f;
	unsigned n, max;
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count(const struct present *here, const char **names)
{
	const struct connection *c = here->all->first;
	size_t n = 0;

	if (here->node && names)
		names[n] = here->node;
	n += here->node != NULL;
	for (; c; c = c->next) {
		if (c->member == NOBODY)
			continue;
		if (names)
			names[n] = c->node;
		n++;
	}
	return n;
}

static int look(void *arg, const char *name)
{
	struct search *s = arg;

	if (bsearch(&name, s->name, s->nhere, sizeof(name), compare))
		return 0;
	if (s->n < s->max)
		fprintf(s->f, "%s%s", s->n ? "," : "", name);
	s->n++;
	return 0;
}

unsigned absent_nodes(const struct present *here, const char *nodes,
		      unsigned max, FILE *f)
{
	struct search s = {.nhere = count(here, NULL), .f = f, .max = max};

	s.name = calloc(s.nhere + 1, sizeof(*s.name));
	if (nodes && s.name) {
		count(here, s.name);
		qsort(s.name, s.nhere, sizeof(*s.name), compare);
		hostlist_each(nodes, look, &s);
	}
	free(s.name);
	if (s.n > max)
		fprintf(f, " and %u more", s.n - max);
	return s.n;
}

bool absent_line(const struct absence *a, char *buf, size_t size)
{
	unsigned n = a->ntasks - (unsigned)count(&a->here, NULL);
	FILE *f;

	if (!n)
		return false;
	f = fmemopen(buf, size, "w");
	if (!f)
		return false;
	fprintf(f,
		"dist-train: after %ld s the launchers of %u of %u %s have "
		"not answered; silent nodes: ",
		a->after_s, n, a->ntasks, a->by_node ? "nodes" : "tasks");
	if (!absent_nodes(&a->here, a->nodes, NAMES_MAX, f))
		fprintf(f, "none");
	fprintf(f, "%s\n", a->means);
	fclose(f);
	return true;
}
