/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The super pod of each node of a step, as the administrator's inventory tells
 * it: known before anything starts.
 */
#ifndef DT_CORE_ASCEND_INVENTORY_PODS_H
#define DT_CORE_ASCEND_INVENTORY_PODS_H

#include "core/base/err.h"

struct inventory_pods {
	unsigned n;
	char **pod; /* by node; NULL: no line tells it; owned */
};

/* Read the inventory's `text` for the nodes of the host list `nodes`; a node
 * whose devices have different super pods is in the first one. Fails with
 * FILE:LINE when a line isn't one of inventory.h, when `nodes` is no host list,
 * and when out of memory. inventory_pods_clear(ret) afterwards. */
int inventory_pods_read(const char *text, const char *file, const char *nodes,
			struct inventory_pods *ret, struct err *err);
void inventory_pods_clear(struct inventory_pods *pods);

#endif
