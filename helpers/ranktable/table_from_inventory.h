/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of all of a step's processes, computed by each launcher for itself:
 * from the driver where the step is on one node, else from the administrator's
 * inventory and from what srun has told of every node's devices.
 */
#ifndef DT_HELPERS_RANKTABLE_TABLE_FROM_INVENTORY_H
#define DT_HELPERS_RANKTABLE_TABLE_FROM_INVENTORY_H

#include "core/ascend/npu.h"
#include "core/base/err.h"
#include "core/plan/plan.h"
#include "helpers/npu/devinfo.h"

/* Takes one row; `address` is the node's, or NULL. Returns 0 or -1. */
typedef int put_row_fn(void *arg, unsigned rank, const char *node,
		       const char *address, const struct npu *npu,
		       struct err *err);

/* What the driver tells of the devices that this launcher speaks for. */
struct own_npus {
	unsigned n;
	const unsigned *rank;  /* of each; borrowed */
	const struct npu *npu; /* the same */
};

/* All rows in the order of ranks, the same on every node. Fails when the places
 * or devices of the other nodes aren't known, when the inventory lacks one of
 * them, and when this node isn't as the others will think it is. */
int table_from_inventory(const struct plan *plan,
			 const struct devinfo_options *options,
			 const struct own_npus *own, put_row_fn *put, void *arg,
			 struct err *err);

#endif
