/* SPDX-License-Identifier: Apache-2.0 */
/* Names of nodes, each once, and as a text that isn't too long. Pure. */
#ifndef DT_HELPERS_VISIT_NODE_NAMES_H
#define DT_HELPERS_VISIT_NODE_NAMES_H

#include "core/base/hostlist.h"

#define NODE_NAMES_SHOWN 8 /* of them are in a text */
#define NODE_NAMES_SIZE	 (NODE_NAMES_SHOWN * (HOSTLIST_NAME_MAX + 2) + 32)

/* {0} is empty; node_names_clear() in the end. */
struct node_names {
	char (*name)[HOSTLIST_NAME_MAX];
	unsigned n;
};

/* Unless it is there. Returns 0, or -1: out of memory. */
int node_names_add(struct node_names *names, const char *name);
void node_names_clear(struct node_names *names);

/* "node1, node2", or "node1, ..., node8 and 12 more" where there are more, or
 * where `all` says so. Returns buf. */
const char *node_names_text(const struct node_names *names, unsigned all,
			    char buf[NODE_NAMES_SIZE]);

#endif
