/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a step's nodes in the world by what is known of the network, for
 * srun and for `dist-train explain`. Pure.
 */
#pragma once

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "core/topology/topology.h"

#include <stdbool.h>

struct step_tasks {
	/* Where Slurm has put the tasks (core/facts/taskmap.h) */
	const char *tasks, *taskmap;
	unsigned ntasks;
	const struct request *request; /* its groups are to cross as little as
					  possible, as far as it is known now
					  how many ranks a node has */
};

/* Why the key order=topology has no effect, a line for the user, or NULL. */
const char *step_order_no_effect(const struct request *request,
				 const struct resolved *resolved);

/* The nodes in that order, all of them, spares last; for the caller to free.
 * NULL: the texts contradict each other, or out of memory. */
unsigned *step_order_nodes(const struct topology *topology,
			   const struct step_tasks *step,
			   const struct resolved *resolved, struct err *err);

/* *ret_order is as in struct job, for the caller to free; NULL where the world
 * is Slurm's, and needs no blocks for its spares. *ret_slurms: its ranks are
 * those of Slurm's tasks, whose order isn't that of the list of nodes: Slurm
 * itself has followed the network, as it does since 26.05. Returns 0, or -1:
 * the texts contradict each other, or out of memory. */
int step_order(const struct topology *topology, const struct step_tasks *step,
	       const struct resolved *resolved, char **ret_order,
	       bool *ret_slurms, struct err *err);

/*
 * The ranks that Ascend's library gives without a rank table: in the order of
 * the hosts' addresses, byte by byte, then of the devices on a host (HCCL's
 * topology exchange). Nobody can choose them.
 */

/* Whether Slurm's ranks are others, as far as the addresses and places of all
 * nodes are known here; then the line for the user is in buf. */
bool chief_order_remark(const struct plan *plan, char *buf, unsigned size);
