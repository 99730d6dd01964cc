/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses at which a step's controller may be, the likely ones first: the
 * first port of srun's host, beside which it is, and of the step's first nodes,
 * which lead there or have it; then the second port of each, and so on; last
 * those of a srun whose step is heterogeneous. */
#ifndef DT_HELPERS_VISIT_WAY_LIST_H
#define DT_HELPERS_VISIT_WAY_LIST_H

#include "core/base/err.h"
#include "core/base/ip.h"
#include "helpers/visit/step_find.h"

#define WAY_RANGES_MAX 4 /* of ports */

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
	struct address *address;
	unsigned n;
};

/* The ranges of ports are Slurm's for srun, the user's, the administrator's,
 * and the usual one, which dist-train exec takes. Waits for the resolver.
 * Returns 0 or -1. */
int way_list_open(struct way_list *ret, const struct way_where *where,
		  struct err *err);
void way_list_close(struct way_list *list);

/* The port that is tried so late; 0: no more. */
unsigned way_list_port(const struct way_list *list, unsigned try);

#endif
