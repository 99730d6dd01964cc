/* SPDX-License-Identifier: Apache-2.0 */
/* The node of each rank of the world that starts. */
#ifndef DT_CORE_GROUPS_RANK_NODES_H
#define DT_CORE_GROUPS_RANK_NODES_H

#include "core/base/err.h"
#include "core/plan/plan.h"

struct rank_nodes {
	unsigned *node; /* by rank: its position in the step's list; owned */
	unsigned n;
};

/* `plan` is any task's, of the world's facts; `step` are those of which these
 * were made (core/plan/first_world.h). Where the program starts the workers
 * itself (torchrun, run-on=first) they count as ranks, node after node as the
 * list of hosts has them (core/plan/hostfile.h). Fails where the facts don't
 * tell, and when out of memory. free(ret->node). */
int rank_nodes_make(const struct plan *plan, const struct job *step,
		    struct rank_nodes *ret, struct err *err);

#endif
