/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The super pod or NVLink domain of each node of a step, as the administrator's
 * inventory tells it: known before anything starts.
 */
#ifndef DT_CORE_ASCEND_INVENTORY_DOMAINS_H
#define DT_CORE_ASCEND_INVENTORY_DOMAINS_H

#include "core/ascend/inventory.h"
#include "core/base/err.h"

struct inventory_domains {
	unsigned n;
	char **name[INVENTORY_DOMAINS]; /* by node; NULL: no line tells it;
					   owned */
};

/* What a kind is called: "super pod", "NVLink domain". */
const char *inventory_domain_word(enum inventory_domain kind);

/* Read the inventory's `text` for the nodes of the host list `nodes`; a node
 * whose devices have different super pods is in the first one. Fails with
 * FILE:LINE when a line isn't one of inventory.h, when `nodes` is no host list,
 * and when out of memory. inventory_domains_clear(ret) afterwards. */
int inventory_domains_read(const char *text, const char *file,
			   const char *nodes, struct inventory_domains *ret,
			   struct err *err);
void inventory_domains_clear(struct inventory_domains *domains);

#endif
