/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses at which a step's leading launcher may be, by eight nodes at a
 * time: the first port of each, then the second, and so on. */
#ifndef DT_HELPERS_VISIT_WAY_LIST_H
#define DT_HELPERS_VISIT_WAY_LIST_H

#include "core/base/err.h"
#include "core/base/ip.h"
#include "helpers/visit/step_find.h"

#include <stdbool.h>

#define WAY_RANGES_MAX 3 /* of ports */

struct address {
	char ip[IP_TEXT_SIZE];
	unsigned port;
	const struct found_node *node;
};

struct way_where {
	const struct found_step *step; /* borrowed */
	unsigned port_min, port_max;   /* as the user gives them; 0: not */
};

struct way_list {
	struct way_where where;
	unsigned min[WAY_RANGES_MAX], max[WAY_RANGES_MAX], nranges;
	unsigned block; /* its first node */
	struct address *address;
	unsigned n;
};

/* For the first nodes; nothing is in it yet. The ranges of ports are the
 * user's, the administrator's, and the usual one, which dist-train exec takes.
 * Returns 0 or -1. */
int way_list_open(struct way_list *ret, const struct way_where *where,
		  struct err *err);
void way_list_close(struct way_list *list);

/* Of the nodes where it is; waits for the resolver. */
void way_list_fill(struct way_list *list);

/* To the next nodes; false: to the first ones again. */
bool way_list_move(struct way_list *list);

/* The port that is tried so late; 0: no more. */
unsigned way_list_port(const struct way_list *list, unsigned try);

#endif
