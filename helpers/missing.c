/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/missing.h"

#include "core/hostlist.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX 16

unsigned missing_nodes(const struct hub *hub, const char *nodes, unsigned max,
		       FILE *f)
{
	char name[HOSTLIST_NAME_MAX];
	unsigned n = 0;

	for (unsigned i = 0; nodes && hostlist_nth(nodes, i, name) == 0; i++) {
		if (hub_has_node(hub, name))
			continue;
		if (n < max)
			fprintf(f, "%s%s", n ? "," : "", name);
		n++;
	}
	if (n > max)
		fprintf(f, " and %u more", n - max);
	return n;
}

bool missing_line(const struct hub *hub, unsigned ntasks, const char *nodes,
		  long after_s, char *buf, size_t size)
{
	unsigned n = 0;
	FILE *f;

	for (unsigned i = 0; i < ntasks; i++)
		n += !hub_has(hub, i);
	if (!n)
		return false;
	f = fmemopen(buf, size, "w");
	if (!f)
		return false;
	fprintf(f,
		"dist-train: after %ld s there is no word from the launchers "
		"of %u of %u tasks; nodes that are silent: ",
		after_s, n, ntasks);
	if (!missing_nodes(hub, nodes, NAMES_MAX, f))
		fprintf(f, "none as a whole");
	fprintf(f, "\n");
	fclose(f);
	return true;
}
