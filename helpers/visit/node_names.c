/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/step_find.h"

#include "core/base/array.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has(const struct node_names *names, const char *name)
{
	for (unsigned i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

int node_names_add(struct node_names *names, const char *name)
{
	unsigned n = names->n;

	if (has(names, name))
		return 0;
	if (!array_append(&names->name, n, sizeof(*names->name)))
		return -1;
	snprintf(names->name[names->n++], HOSTLIST_NAME_MAX, "%s", name);
	return 0;
}

void node_names_clear(struct node_names *names)
{
	free(names->name);
	*names = (struct node_names){0};
}

const char *node_names_text(const struct node_names *names, unsigned all,
			    char buf[NODE_NAMES_SIZE])
{
	unsigned shown =
		names->n < NODE_NAMES_SHOWN ? names->n : NODE_NAMES_SHOWN;

	*buf = '\0';
	for (unsigned i = 0; i < shown; i++)
		text_add(buf, NODE_NAMES_SIZE, ", ", "%s", names->name[i]);
	if (all < names->n)
		all = names->n;
	if (all > shown)
		text_add(buf, NODE_NAMES_SIZE, " and ", "%u more", all - shown);
	return buf;
}
