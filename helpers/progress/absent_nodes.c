/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/progress/absent_nodes.h"

#include "core/base/hostlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 16

struct search {
	const struct server_nodes *here;
	FILE *f;
	unsigned n, max;
};

static int look(void *arg, const char *name)
{
	struct search *s = arg;

	if (server_nodes_have(s->here, name))
		return 0;
	if (s->n < s->max)
		fprintf(s->f, "%s%s", s->n ? "," : "", name);
	s->n++;
	return 0;
}

unsigned absent_nodes(const struct server *server, const char *nodes,
		      unsigned max, FILE *f)
{
	struct server_nodes here;
	struct search s = {.here = &here, .f = f, .max = max};

	if (!nodes || server_nodes(server, &here) < 0)
		return 0;
	hostlist_each(nodes, look, &s);
	free(here.name);
	if (s.n > max)
		fprintf(f, " and %u more", s.n - max);
	return s.n;
}

bool absent_line(const struct absence *a, char *buf, size_t size)
{
	unsigned n = 0;
	FILE *f;

	for (unsigned i = 0; i < a->ntasks; i++)
		n += !server_has(a->server, i);
	if (!n)
		return false;
	f = fmemopen(buf, size, "w");
	if (!f)
		return false;
	fprintf(f,
		"dist-train: after %ld s the launchers of %u of %u %s have "
		"not answered; silent nodes: ",
		a->after_s, n, a->ntasks, a->by_node ? "nodes" : "tasks");
	if (!absent_nodes(a->server, a->nodes, NAMES_MAX, f))
		fprintf(f, "none");
	fprintf(f, "%s\n", a->means);
	fclose(f);
	return true;
}
