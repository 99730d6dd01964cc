/* SPDX-License-Identifier: Apache-2.0 */
/* Where the nodes of a step that isn't there are in the network, as files say
 * it, and the order that follows from it. */
#ifndef DT_HELPERS_CLI_DRYRUN_DRYRUN_ORDER_H
#define DT_HELPERS_CLI_DRYRUN_DRYRUN_ORDER_H

#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdio.h>

/* Read the topology from `path` (core/topology/topology_read.h), "-" for
 * standard input, NULL for none, and super pods from the inventory of `config`.
 * With order=topology the step gets its order. `notes` gets a line where the
 * order shown isn't srun's, as when the inventory can't be read. Fails when
 * `path` can't be read or nobody knows one of the step's nodes, and on a wrong
 * line of the inventory. */
int dryrun_order_read(const char *path, const struct request *request,
		      const struct config *config, FILE *notes,
		      struct dryrun *e, struct err *err);

/* Tell the step's nodes in the order of the world, those of one place in the
 * network together: "top, s1" and "node[1,3]". Nothing without a topology.
 * Returns 0, or -1: `each` has, or out of memory. */
int dryrun_order_each(const struct dryrun *e,
		      int (*each)(void *arg, const char *where,
				  const char *nodes),
		      void *arg);

/* The innermost block or switch of a node, or NULL. */
const char *dryrun_order_unit(const struct dryrun *e, unsigned node);

#endif
